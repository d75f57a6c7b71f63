package io.hypersync.wire.admin;

import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a daemon does when it is asked one kind of question over its admin socket. */
@FunctionalInterface
public interface AdminCommand {

  /**
   * Answers. Runs on a virtual thread of its own connection, several at a time.
   *
   * @param args the arguments that the asker gave; empty when it gave none
   * @return the result; goes back as it is. A tree, or what is too large to be one in memory and is
   *     made while it is written: that may throw {@link UserError} wherever a value would be whole
   * @throws UserError if it cannot be done; the message and the hint go back
   */
  JsonSerializable run(ObjectNode args);
}
