package io.hypersync.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Processor time that daemons have taken, user and system, all threads of each. The kernel counts
 * it in hundredths of a second.
 *
 * @param ns nanoseconds by the daemon's name, in the order in which they are shown
 */
record DaemonCpu(Map<String, Long> ns) {
  static final DaemonCpu NONE = new DaemonCpu(Map.of());

  /** Copies the map. */
  DaemonCpu {
    ns = Collections.unmodifiableMap(new LinkedHashMap<>(ns));
  }

  /**
   * What these processes have taken since their start. One that has ended is left out.
   *
   * @param daemons process ids by name
   */
  static DaemonCpu now(Map<String, Long> daemons) {
    Map<String, Long> ns = new LinkedHashMap<>();
    daemons.forEach(
        (name, pid) ->
            ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .ifPresent(taken -> ns.put(name, taken.toNanos())));
    return new DaemonCpu(ns);
  }

  /** What was taken since an earlier look, of those that both know. */
  DaemonCpu since(DaemonCpu earlier) {
    Map<String, Long> taken = new LinkedHashMap<>();
    ns.forEach(
        (name, now) -> {
          Long then = earlier.ns.get(name);
          if (then != null) {
            taken.put(name, now - then);
          }
        });
    return new DaemonCpu(taken);
  }

  /** Both together. */
  DaemonCpu plus(DaemonCpu more) {
    Map<String, Long> sum = new LinkedHashMap<>(ns);
    more.ns.forEach((name, taken) -> sum.merge(name, taken, Long::sum));
    return new DaemonCpu(sum);
  }

  /** What all have taken, in nanoseconds; empty if there are none. */
  OptionalLong allNs() {
    return ns.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(ns.values().stream().mapToLong(Long::longValue).sum());
  }
}
