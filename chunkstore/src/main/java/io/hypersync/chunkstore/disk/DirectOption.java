package io.hypersync.chunkstore.disk;

import java.nio.file.OpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code O_DIRECT}, as the JDK has it: in a package that the compiler warns of whenever it is
 * named, so it is looked up.
 */
final class DirectOption {
  private static final String JDKS_OWN = "com.sun.nio.file.ExtendedOpenOption";

  private DirectOption() {}

  /** The option; nothing in a JDK that has it no more. */
  static Optional<OpenOption> find() {
    try {
      return Stream.<OpenOption>of(
              Class.forName(JDKS_OWN).asSubclass(OpenOption.class).getEnumConstants())
          .filter(option -> option.toString().equals("DIRECT"))
          .findFirst();
    } catch (ClassNotFoundException e) {
      return Optional.empty();
    }
  }
}
