package io.hypersync.leader.placement;

/**
 * Why a worker gets no agents.
 *
 * @param code for programs: the key of a {@link Measure}, or one of {@code disconnected}, {@code
 *     silent}, {@code unknown_load}, {@code hindered}, {@code backlog}, {@code recovering}
 * @param text for people
 */
public record Reason(String code, String text) {
  static Reason over(Measure measure, String value, String limit) {
    return new Reason(measure.key(), measure.key() + " is " + value + ", the limit is " + limit);
  }
}
