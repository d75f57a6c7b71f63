package io.hypersync.bench;

import io.hypersync.cli.demo.DemoFolder;
import java.util.List;
import java.util.Optional;

/**
 * The workers of a run. Operations are measured on the first one's mount. The others only
 * replicate, and their share of the machine is part of the figures.
 *
 * @param count how many, from 1 to {@link #MAX}
 */
record Workers(int count) {
  /** The default number. */
  static final Workers USUAL = new Workers(2);

  static final int MAX = 26;

  /** Returns their names: the first letters of the alphabet. */
  List<String> names() {
    return "abcdefghijklmnopqrstuvwxyz"
        .substring(0, count)
        .chars()
        .mapToObj(Character::toString)
        .toList();
  }

  /** Returns the place on the first worker's mount. */
  MeasuredFilesystem measured(DemoFolder folder) {
    return place(folder, names().getFirst());
  }

  /** Returns the same place on another worker's mount, if there is more than one worker. */
  Optional<MeasuredFilesystem> other(DemoFolder folder) {
    return names().stream().skip(1).findFirst().map(name -> place(folder, name));
  }

  /** Returns one line of text. */
  String text() {
    return count == 1
        ? "a leader and a worker; nobody else replicates what is done\n"
        : "a leader and %d workers, who all replicate what is done through one mount\n"
            .formatted(count);
  }

  private static MeasuredFilesystem place(DemoFolder folder, String name) {
    return new MeasuredFilesystem(
        MeasuredFilesystem.Kind.HYPERSYNC, folder.mount(name).resolve("bench"));
  }
}
