package io.hypersync.runtime.admin;

import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One command that a daemon offers on its admin socket. */
@FunctionalInterface
public interface AdminCommand {

  /**
   * Executes the command. Called on the virtual thread of its connection; calls run concurrently.
   *
   * @param args the arguments of the request; empty if there were none
   * @return the result, sent unchanged. Either a JSON tree, or a value that writes itself because
   *     it is too large to hold in memory; its serialization may throw {@link UserError} wherever a
   *     JSON value could begin or end
   * @throws UserError if the command fails; its message and hint are sent to the client
   */
  JsonSerializable run(ObjectNode args);
}
