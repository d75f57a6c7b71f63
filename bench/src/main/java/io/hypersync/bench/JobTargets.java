package io.hypersync.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Performance targets of whole jobs. */
final class JobTargets {
  private static final double HALF = 0.5;
  private static final double SAME = 1;
  private static final double LITTLE_MORE = 1.3;
  private static final double THREE_FIFTHS_AS_FAST = 1 / 0.6;
  private static final double NEARLY_AS_FAST = 1 / 0.95;

  private JobTargets() {}

  /** Returns the targets that these times allow to be judged. */
  static List<Target> of(List<JobDurations> all) {
    List<Target> aims = new ArrayList<>();
    for (JobDurations times : all) {
      switch (times.job()) {
        case CLONE, UNTAR -> {
          add(aims, times, MeasuredFilesystem.Kind.DIRSYNC, SAME);
          add(aims, times, MeasuredFilesystem.Kind.PEER, HALF);
        }
        case STATUS, WALK, GREP -> add(aims, times, MeasuredFilesystem.Kind.BINDFS, LITTLE_MORE);
        case LARGE_WRITE, LARGE_READ_COLD ->
            add(aims, times, MeasuredFilesystem.Kind.PLAIN, THREE_FIFTHS_AS_FAST);
        case LARGE_READ_WARM -> add(aims, times, MeasuredFilesystem.Kind.PLAIN, NEARLY_AS_FAST);
        case REMOVE -> {}
      }
    }
    return aims;
  }

  private static void add(
      List<Target> aims, JobDurations times, MeasuredFilesystem.Kind place, double limit) {
    times
        .times(place)
        .ifPresent(
            found ->
                aims.add(
                    new Target(
                        times.job().key() + "_beside_" + place.label(),
                        String.format(
                            Locale.ROOT,
                            "%s within %.2f times the time of %s",
                            times.job().title(),
                            limit,
                            place.label()),
                        String.format(Locale.ROOT, "%.2f times its time", found),
                        found <= limit)));
  }
}
