package io.hypersync.runtime.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Reports a daemon's status as JSON, with the keys of {@code docs/json.md}. */
@FunctionalInterface
public interface StatusSource {

  /**
   * The status at this moment, as a new tree that the caller may modify. May be called from any
   * thread; must not block on the network or a disk.
   */
  ObjectNode status();
}
