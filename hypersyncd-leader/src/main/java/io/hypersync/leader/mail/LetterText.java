package io.hypersync.leader.mail;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.hazard.HazardJson;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a mail says. Names of agents, patterns and paths are other people's texts: each is on one
 * line, escaped, shortened, and in Markdown code, so it cannot pretend to be anything else.
 */
final class LetterText {
  static final int MOST_SUBJECT = 200;

  /** How many bundles a digest lists; it says how many more there are. */
  static final int MOST_LISTED = 50;

  private static final int MOST_CHARS = 120;

  /** What is said where a text was cut takes so many characters. */
  private static final int CUT = 3;

  private static final String PREFIX = "[hypersync] ";

  private LetterText() {}

  static String thread(Bundle bundle) {
    return "hypersync-hazard-" + bundle.thread;
  }

  static String subject(Bundle bundle) {
    String subject = PREFIX + kinds(bundle) + ": " + plain(path(bundle.first));
    return Printable.line(subject, MOST_SUBJECT - CUT);
  }

  static String subject(List<Bundle> bundles) {
    return PREFIX + bundles.size() + " paths where your work meets that of others";
  }

  static String body(Bundle bundle) {
    StringBuilder text = new StringBuilder();
    text.append("**").append(kinds(bundle)).append("** at ").append(code(path(bundle.first)));
    text.append("\n\n- ")
        .append(who(bundle.author))
        .append(": log entry ")
        .append(bundle.firstIndex)
        .append(", ")
        .append(HazardJson.time(bundle.firstTimeNs))
        .append("\n- ")
        .append(
            switch (bundle.first) {
              case Hazard.Overlap overlap ->
                  who(overlap.other()) + ": log entry " + overlap.conflictsWith() + ", before that";
              case Hazard.Reserved reserved ->
                  who(reserved.holder().agent())
                      + (reserved.holder().exclusive() ? " holds alone: " : " holds: ")
                      + code(reserved.holder().pattern());
              case Hazard.Advice _ -> "nobody else";
            })
        .append('\n');
    if (bundle.count > 1) {
      text.append("- ")
          .append(bundle.count - 1)
          .append(" more of these two since, up to entry ")
          .append(bundle.lastIndex)
          .append('\n');
    }
    return text.append(ending(bundle.firstIndex)).toString();
  }

  static String body(List<Bundle> bundles) {
    StringBuilder text = new StringBuilder("There were too many for a mail each.\n\n");
    for (Bundle bundle : bundles.subList(0, Math.min(bundles.size(), MOST_LISTED))) {
      text.append("- ")
          .append(code(path(bundle.first)))
          .append(": ")
          .append(kinds(bundle))
          .append(", ")
          .append(who(bundle.author))
          .append(" and ")
          .append(
              switch (bundle.first) {
                case Hazard.Overlap overlap -> who(overlap.other());
                case Hazard.Reserved reserved -> who(reserved.holder().agent());
                case Hazard.Advice _ -> "nobody else";
              })
          .append(", ")
          .append(bundle.count == 1 ? "" : bundle.count + " times, ")
          .append("from log entry ")
          .append(bundle.firstIndex)
          .append(" on\n");
    }
    if (bundles.size() > MOST_LISTED) {
      text.append("- and ").append(bundles.size() - MOST_LISTED).append(" more\n");
    }
    return text.append(ending(bundles.getFirst().firstIndex)).toString();
  }

  private static String ending(long index) {
    return "\nNothing was refused, and no version is lost. Look: `./hypersync hazards`. The workspace"
        + " as it was before: `./hypersync mount --at "
        + Math.max(1, index - 1)
        + " <empty folder>`.\n";
  }

  private static String kinds(Bundle bundle) {
    return bundle.kinds.stream().map(kind -> kind.text()).collect(Collectors.joining(", "));
  }

  private static String path(Hazard hazard) {
    return hazard.path().length == 0 ? "node " + hazard.node() : Printable.line(hazard.path());
  }

  private static String who(Author author) {
    return who(author.agent()) + " on worker " + code(author.worker().name());
  }

  private static String who(String agent) {
    return agent.isEmpty() ? "somebody without a name" : code(agent);
  }

  private static String code(String text) {
    return "`" + plain(text) + "`";
  }

  private static String plain(String text) {
    return Printable.line(text, MOST_CHARS).replace('`', '\'');
  }
}
