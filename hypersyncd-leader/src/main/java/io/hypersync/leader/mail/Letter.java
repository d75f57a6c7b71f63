package io.hypersync.leader.mail;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * A mail about hazards.
 *
 * @param project the project of Agent Mail, an absolute path
 * @param to names of agents
 * @param subject at most {@link LetterText#MOST_SUBJECT} characters
 * @param body Markdown
 * @param thread keeps mails about the same together
 * @param about the bundles of hazards that it tells
 */
record Letter(
    String project, List<String> to, String subject, String body, String thread, List<Hash> about) {
  Letter {
    to = List.copyOf(to);
    about = List.copyOf(about);
  }

  boolean isDigest() {
    return about.size() > 1;
  }
}
