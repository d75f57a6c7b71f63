package io.hypersync.leader.mail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what Agent Mail's server is asked for next, so that agents hear of hazards (hypersync.md
 * 11.2). Before the first letter of a project it ensures the project and registers the leader
 * there, and does so again when the server was away, and now and then, because one of the servers
 * retires who is silent for a day. Those calls may be repeated, so a server that hangs is noticed
 * by them, and not by a letter of which nobody would know whether it has arrived. Single-threaded.
 */
public final class MailDesk {
  /** What the leader says it is. */
  private static final String PROGRAM = "hypersync";

  private static final String MODEL = "filesystem";
  private static final long FIRST_WAIT_NS = 1_000_000_000L;
  private static final long LONGEST_WAIT_NS = 60_000_000_000L;
  private static final long REGISTERED_NS = 6 * 3_600_000_000_000L;
  private static final int MOST_NAME = 255;

  private final Outbox outbox;
  private final Map<String, MailIdentity> identities;
  private final Map<String, Session> sessions = new HashMap<>();
  private long changes;
  private long waitNs;
  private long nextNs;
  private boolean isWaiting;
  private String lastError = "";
  private @Nullable Long lastMailNs;

  /** How far it is in a project. */
  private static final class Session {
    boolean isEnsured;
    boolean isRegistered;
    long registeredNs;
  }

  /**
   * Nothing was asked yet.
   *
   * @param done what needs no mail any more
   * @param identities who the leader is in which project, as far as it is known
   */
  public MailDesk(AgentMailOptions options, MailCursor done, Map<String, MailIdentity> identities) {
    this.outbox = new Outbox(new MailProjects(options.projects(), options.mounts()), done);
    this.identities = new TreeMap<>(identities);
    this.identities.keySet().retainAll(options.projects());
  }

  /** An entry with hazards is durable; in the order of the log. */
  public void logged(LoggedHazards entry, long nowNs) {
    outbox.logged(entry, nowNs);
  }

  /** Hazards were lost before they came here, because there were too many. */
  public void lost(long count) {
    outbox.lost(count);
  }

  /**
   * The next call, which is to be followed by {@link #answered}; null if there is none now. If it
   * is a letter, {@link #cursor} counts it as sent from now on.
   */
  public @Nullable MailCall next(long nowNs) {
    if (isWaiting && nowNs - nextNs < 0) {
      return null;
    }
    Letter letter = outbox.next(nowNs);
    if (letter == null) {
      return null;
    }
    String project = letter.project();
    Session session = sessions.computeIfAbsent(project, _ -> new Session());
    if (session.isRegistered && nowNs - session.registeredNs >= REGISTERED_NS) {
      session.isRegistered = false;
    }
    if (!session.isEnsured) {
      return new MailCall(project, "ensure_project", arguments().put("human_key", project), null);
    }
    MailIdentity self = identities.get(project);
    if (self == null || !session.isRegistered) {
      return new MailCall(project, "register_agent", registration(project, self), null);
    }
    outbox.leaves(letter);
    return new MailCall(project, "send_message", message(letter, self), letter);
  }

  private static ObjectNode registration(String project, @Nullable MailIdentity self) {
    ObjectNode arguments =
        arguments()
            .put("project_key", project)
            .put("program", PROGRAM)
            .put("model", MODEL)
            .put("task_description", "tells agents where their work meets that of others");
    if (self != null) {
      arguments.put("name", self.name());
      if (!self.token().isEmpty()) {
        arguments.put("registration_token", self.token());
      }
    }
    return arguments;
  }

  private static ObjectNode message(Letter letter, MailIdentity self) {
    ObjectNode arguments =
        arguments().put("project_key", letter.project()).put("sender_name", self.name());
    if (!self.token().isEmpty()) {
      arguments.put("sender_token", self.token());
    }
    ArrayNode to = arguments.putArray("to");
    letter.to().forEach(to::add);
    return arguments
        .put("subject", letter.subject())
        .put("body_md", letter.body())
        .put("importance", "high")
        .put("ack_required", false)
        .put("thread_id", letter.thread());
  }

  private static ObjectNode arguments() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** How a call has ended. */
  public void answered(MailCall call, CallOutcome outcome, long nowNs) {
    Letter letter = call.letter();
    switch (outcome) {
      case CallOutcome.NotDone(String why) -> {
        outbox.returned();
        failed(call, why, nowNs);
      }
      case CallOutcome.Unsure(String why) -> {
        if (letter != null) {
          outbox.arrived(letter, false, nowNs);
        }
        failed(call, why, nowNs);
      }
      case CallOutcome.Refused(String why) -> {
        reached();
        refused(call, why, nowNs);
      }
      case CallOutcome.Answered(JsonNode value) -> {
        reached();
        done(call, value, nowNs);
      }
    }
  }

  /** What needs no mail any more could not be written down, so the letter was not sent. */
  public void notWritten(String why, long nowNs) {
    outbox.returned();
    later(why, nowNs);
  }

  private void failed(MailCall call, String why, long nowNs) {
    sessions.remove(call.project());
    later(why, nowNs);
  }

  private void later(String why, long nowNs) {
    waitNs = isWaiting ? Math.min(2 * waitNs, LONGEST_WAIT_NS) : FIRST_WAIT_NS;
    isWaiting = true;
    nextNs = nowNs + waitNs;
    lastError = why;
  }

  private void reached() {
    isWaiting = false;
    lastError = "";
  }

  private void refused(MailCall call, String why, long nowNs) {
    Letter letter = call.letter();
    if (letter != null) {
      outbox.refused(letter, why, nowNs);
    } else if (session(call).isEnsured && identities.remove(call.project()) != null) {
      changes++; // it is registered under another name
    } else {
      sessions.remove(call.project());
      outbox.projectRefused(call.project(), why, nowNs);
    }
  }

  private void done(MailCall call, JsonNode value, long nowNs) {
    Letter letter = call.letter();
    if (letter != null) {
      sent(letter, value, nowNs);
    } else if (!session(call).isEnsured) {
      session(call).isEnsured = true;
    } else {
      registered(call, value, nowNs);
    }
  }

  private void sent(Letter letter, JsonNode value, long nowNs) {
    JsonNode count = value.path("count");
    if (count.isNumber() && count.asInt() == 0) {
      outbox.refused(letter, "the server has delivered it to nobody", nowNs);
    } else {
      outbox.arrived(letter, true, nowNs);
      lastMailNs = nowNs;
    }
  }

  private void registered(MailCall call, JsonNode value, long nowNs) {
    MailIdentity before = identities.get(call.project());
    String name = value.path("name").asText("");
    String token = value.path("registration_token").asText("");
    if (name.isEmpty() || name.length() > MOST_NAME || token.length() > MOST_NAME) {
      failed(call, "it registers the leader under no name", nowNs);
      return;
    }
    if (token.isEmpty() && before != null && before.name().equals(name)) {
      token = before.token();
    }
    MailIdentity now = new MailIdentity(name, token);
    if (!now.equals(before)) {
      identities.put(call.project(), now);
      changes++;
    }
    session(call).isRegistered = true;
    session(call).registeredNs = nowNs;
  }

  private Session session(MailCall call) {
    return sessions.computeIfAbsent(call.project(), _ -> new Session());
  }

  /** What needs no mail any more; to be written down before a letter leaves, and at an end. */
  public MailCursor cursor() {
    return outbox.cursor();
  }

  /** Who the leader is in which project; to be written down when {@link #changes} grows. */
  public Map<String, MailIdentity> identities() {
    return Map.copyOf(identities);
  }

  /** How often {@link #identities} has changed. */
  public long changes() {
    return changes;
  }

  /** For reports. */
  public MailStatus status(long nowNs) {
    Outbox.Counts counts = outbox.counts;
    Long last = lastMailNs;
    return new MailStatus(
        counts.mails,
        counts.digests,
        counts.coalesced,
        counts.dropped,
        counts.blocked,
        counts.uncertain,
        counts.nobody,
        counts.elsewhere,
        outbox.pending(),
        isWaiting ? Math.max(0, nextNs - nowNs) : 0,
        lastError,
        last == null ? -1 : nowNs - last,
        outbox.muted(nowNs).stream()
            .map(
                muted ->
                    new MailStatus.Muted(
                        muted.project(), muted.agent(), muted.untilNs() - nowNs, muted.why()))
            .toList(),
        identities.entrySet().stream()
            .map(each -> new MailStatus.Identity(each.getKey(), each.getValue().name()))
            .toList());
  }
}
