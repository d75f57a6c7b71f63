package io.hypersync.wire.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A daemon that can say how it is; the keys are those of {@code docs/json.md}. */
@FunctionalInterface
public interface StatusSource {

  /**
   * How the daemon is at this moment, as a tree of its own that the caller may change. Called from
   * any thread; must not wait for the network or a disk.
   */
  ObjectNode status();
}
