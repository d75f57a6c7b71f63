package io.hypersync.cli.config;

import java.nio.file.Path;

/** Where a value came from; its text begins an error about the value. */
public sealed interface Origin {
  /** The value was not given. */
  record Default() implements Origin {
    @Override
    public String toString() {
      return "the default";
    }
  }

  /**
   * A configuration file.
   *
   * @param line counted from 1
   */
  record File(Path file, int line) implements Origin {
    @Override
    public String toString() {
      return file + ":" + line;
    }
  }

  /** A variable of the environment. */
  record Environment(String variable) implements Origin {
    @Override
    public String toString() {
      return variable;
    }
  }

  /** A flag of the command line. */
  record Flag(String name) implements Origin {
    @Override
    public String toString() {
      return name;
    }
  }
}
