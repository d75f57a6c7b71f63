package io.hypersync.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Performance targets of whole jobs. */
final class JobAims {
  private static final double HALF = 0.5;
  private static final double SAME = 1;
  private static final double LITTLE_MORE = 1.3;
  private static final double THREE_FIFTHS_AS_FAST = 1 / 0.6;
  private static final double NEARLY_AS_FAST = 1 / 0.95;

  private JobAims() {}

  /** Returns the targets that these times allow to be judged. */
  static List<Aim> of(List<JobTimes> all) {
    List<Aim> aims = new ArrayList<>();
    for (JobTimes times : all) {
      switch (times.job()) {
        case CLONE, UNTAR -> {
          add(aims, times, Place.Kind.DIRSYNC, SAME);
          add(aims, times, Place.Kind.PEER, HALF);
        }
        case STATUS, WALK, GREP -> add(aims, times, Place.Kind.BINDFS, LITTLE_MORE);
        case LARGE_WRITE, LARGE_READ_COLD ->
            add(aims, times, Place.Kind.PLAIN, THREE_FIFTHS_AS_FAST);
        case LARGE_READ_WARM -> add(aims, times, Place.Kind.PLAIN, NEARLY_AS_FAST);
        case REMOVE -> {}
      }
    }
    return aims;
  }

  private static void add(List<Aim> aims, JobTimes times, Place.Kind place, double limit) {
    times
        .times(place)
        .ifPresent(
            found ->
                aims.add(
                    new Aim(
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
