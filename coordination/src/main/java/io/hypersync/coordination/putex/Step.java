package io.hypersync.coordination.putex;

import java.util.OptionalLong;

/** What is to be done next, by whoever drives a {@link ProcessMutex}. Limits are in nanoseconds. */
public sealed interface Step {
  /**
   * Read the record. Answered by {@link Outcome.Found}, {@link Outcome.Absent}, {@link
   * Outcome.Unknown}.
   *
   * @param limitNs after which it is unknown
   */
  record Read(long limitNs) implements Step {}

  /**
   * Write the record. Answered by {@link Outcome.Written}, {@link Outcome.Refused}, {@link
   * Outcome.Unknown}.
   *
   * @param token what; empty frees the lock
   * @param revision which record it replaces; empty if there must be none
   * @param limitNs after which it is unknown
   */
  record Write(String token, OptionalLong revision, long limitNs) implements Step {}

  /**
   * Run the health check. Answered by {@link Outcome.Passed}, {@link Outcome.Failed}.
   *
   * @param active whether the lock is held here
   * @param limitNs after which it has failed
   */
  record Check(boolean active, long limitNs) implements Step {}

  /**
   * Start the service, if it is not yet that late. Answered by {@link Outcome.Passed}, {@link
   * Outcome.Failed}. Until there is another such step, a later time in it, or a {@link Stop}, the
   * service has to be stopped at that time, also if this process is dead or stopped then.
   *
   * @param fence whether to fence the others off before
   * @param untilNs the time, by the clock whose readings the mutex is given
   * @param limitNs after which starting has failed
   * @param revision of the record, as this agent has written it: no other holder of the lock has
   *     had it, and those of later holders are higher
   */
  record Start(boolean fence, long untilNs, long limitNs, long revision) implements Step {}

  /**
   * Stop the service. Answered by {@link Outcome.Passed} only if it does not run any more, else by
   * {@link Outcome.Failed}.
   *
   * @param limitNs after which it has failed
   */
  record Stop(long limitNs) implements Step {}

  /**
   * Do nothing. Answered by {@link Outcome.Passed}.
   *
   * @param untilNs until when
   */
  record Wait(long untilNs) implements Step {}

  /** Nothing more is to be done. */
  record End() implements Step {}
}
