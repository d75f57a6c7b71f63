package io.hypersync.bench;

import io.hypersync.cli.demo.DemoFolder;
import java.util.List;
import java.util.Optional;

/**
 * The workers of a run. The first one's mount is measured. Every other one takes no part, but
 * replicates all of it, and its share of the machine is in the figures.
 *
 * @param count how many, from 1 to {@link #MAX}
 */
record Workers(int count) {
  /** Unless somebody asks for another number. */
  static final Workers USUAL = new Workers(2);

  static final int MAX = 26;

  /** They are named by letters. */
  List<String> names() {
    return "abcdefghijklmnopqrstuvwxyz"
        .substring(0, count)
        .chars()
        .mapToObj(Character::toString)
        .toList();
  }

  /** Where it is measured. */
  Place measured(DemoFolder folder) {
    return place(folder, names().getFirst());
  }

  /** Where another mount shows what the first one's has changed, if there is another. */
  Optional<Place> other(DemoFolder folder) {
    return names().stream().skip(1).findFirst().map(name -> place(folder, name));
  }

  /** A line. */
  String text() {
    return count == 1
        ? "a leader and a worker; nobody else replicates what is done\n"
        : "a leader and %d workers, who all replicate what is done through one mount\n"
            .formatted(count);
  }

  private static Place place(DemoFolder folder, String name) {
    return new Place(Place.Kind.HYPERSYNC, folder.mount(name).resolve("bench"));
  }
}
