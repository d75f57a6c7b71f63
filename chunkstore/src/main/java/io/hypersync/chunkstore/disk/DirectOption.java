package io.hypersync.chunkstore.disk;

import java.nio.file.OpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the JDK's open option for {@code O_DIRECT} by reflection, because the compiler warns
 * wherever the package that contains it is named.
 */
final class DirectOption {
  private static final String JDKS_OWN = "com.sun.nio.file.ExtendedOpenOption";

  private DirectOption() {}

  /** The option; empty if this JDK does not have it. */
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
