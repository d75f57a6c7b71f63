package io.hypersync.runtime.background;

import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to work in the background. Asked before a job begins and between its steps; any
 * thread, never blocks.
 *
 * <p><b>It spares work and proves nothing</b>: a process that was stopped after it asked works on
 * beside the next one. So a job must be right without it. Each replica works on its own disk only.
 */
public interface BackgroundTurns {
  /** Of a process beside which no other one does this work: it is always its turn. */
  BackgroundTurns ALONE =
      new BackgroundTurns() {
        @Override
        public boolean begins(BackgroundJob job) {
          return true;
        }

        @Override
        public boolean goesOn(BackgroundJob job) {
          return true;
        }

        @Override
        public void ended(BackgroundJob job) {}

        @Override
        public @Nullable Standing standing() {
          return null;
        }
      };

  /**
   * Whose turn it is.
   *
   * @param holder the name of the process whose turn it is; empty for nobody's
   * @param isHere whether that is this process
   * @param sinceMs when its turn began, by the clock of its host, in ms since 1970; 0 if there is
   *     none
   * @param revision of the record that says so; 0 if there is none
   * @param problem why this cannot be told; empty if it can
   */
  record Standing(String holder, boolean isHere, long sinceMs, long revision, String problem) {}

  /**
   * Whether a job may begin now. If not, the wish is noted, and the job asks again at its next
   * occasion.
   *
   * @return true if it begins; then {@link #ended} follows, whatever becomes of it
   */
  boolean begins(BackgroundJob job);

  /** Whether the job of this kind may go on; true for one that has begun without asking. */
  boolean goesOn(BackgroundJob job);

  /** The job has ended, if it has begun by {@link #begins}; else this does nothing. */
  void ended(BackgroundJob job);

  /** What is known; null if nobody else does this work. From memory, so it may be old. */
  @Nullable Standing standing();
}
