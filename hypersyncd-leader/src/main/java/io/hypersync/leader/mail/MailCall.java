package io.hypersync.leader.mail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool that the mail needs next.
 *
 * @param project for which project of Agent Mail
 * @param tool its name
 * @param arguments for the tool
 * @param letter what it sends; null if it prepares that
 */
public record MailCall(String project, String tool, ObjectNode arguments, @Nullable Letter letter) {
  /** Whether it sends something, so that what needs no mail must be written down before. */
  public boolean isLetter() {
    return letter != null;
  }
}
