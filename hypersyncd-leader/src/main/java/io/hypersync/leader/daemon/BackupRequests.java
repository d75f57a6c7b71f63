package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.backup.CopyProgress;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The admin command {@code backup}. Its argument {@code do} is {@code status}, or {@code run} with
 * {@code dir}, an absolute path; {@code at}, {@code repair} and {@code bytes_per_second} may be
 * missing. The latter answers at once, with the number that the backup has in {@code runs} when it
 * is over.
 */
final class BackupRequests {
  private static final long NS_PER_MS = 1_000_000;
  private static final long DEFAULT_BYTES_PER_SECOND = 64L << 20;
  private static final int MAX_TEXT = 4096;

  private final AgentQueries<LeaderAgent> agent;
  private final BackupThread thread;

  BackupRequests(AgentQueries<LeaderAgent> agent, BackupThread thread) {
    this.agent = agent;
    this.thread = thread;
  }

  ObjectNode run(ObjectNode args) {
    String action = args.path("do").asText();
    return switch (action) {
      case "status" -> status();
      case "run" -> begun(args);
      default -> throw new UserError("there is nothing called \"" + action + "\" for backup", "");
    };
  }

  private ObjectNode begun(ObjectNode args) {
    String epoch = epoch();
    String at = args.path("at").asText();
    long rate = args.path("bytes_per_second").asLong(DEFAULT_BYTES_PER_SECOND);
    if (at.length() > MAX_TEXT || rate < 1) {
      throw new UserError("backup: a value is out of range", "", UserError.USAGE);
    }
    BackupThread.Order order =
        new BackupThread.Order(
            directory(args.path("dir").asText()), at, args.path("repair").asBoolean(false), rate);
    return JsonNodeFactory.instance
        .objectNode()
        .put("number", thread.begin(order))
        .put("epoch", epoch);
  }

  private static Path directory(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute() && text.length() <= MAX_TEXT) {
        return path.normalize();
      }
    } catch (InvalidPathException e) {
      throw new UserError("backup: " + e.getMessage(), "", UserError.USAGE);
    }
    throw new UserError("backup: \"dir\" is no absolute path", "", UserError.USAGE);
  }

  /** Numbers of backups are those of one run of the leader. */
  private String epoch() {
    return Long.toHexString(agent.ask(LeaderAgent::epoch));
  }

  private ObjectNode status() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    BackupThread.Current current = thread.current(); // first: who ends after this is in runs
    node.put("running", current != null);
    node.set("current", json(current));
    ArrayNode runs = node.putArray("runs");
    thread.ended().forEach(run -> runs.add(json(run)));
    return node.put("epoch", epoch());
  }

  private static @Nullable ObjectNode json(BackupThread.@Nullable Current current) {
    if (current == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("number", current.number()).put("dir", current.directory().toString());
    node.put("index", current.index() < 0 ? null : (Long) current.index());
    figures(current.progress(), node);
    return node;
  }

  private static ObjectNode json(BackupThread.Ended run) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("number", run.number()).put("dir", run.directory().toString());
    UserError failure = run.failure();
    node.put("failure", failure == null ? null : failure.message());
    node.put("hint", failure == null ? null : failure.hint());
    BackupThread.Done done = run.done();
    if (done != null) {
      node.put("index", done.state().index());
      node.put("name", done.state().name());
      node.put("manifest", done.state().hash().toString());
      node.put("took_ms", done.tookNs() / NS_PER_MS);
      figures(done.progress(), node);
    }
    return node;
  }

  private static void figures(CopyProgress progress, ObjectNode node) {
    node.put("chunks", progress.chunks())
        .put("pages", progress.pages())
        .put("copied_chunks", progress.copiedChunks())
        .put("copied_pages", progress.copiedPages())
        .put("copied_bytes", progress.copiedBytes());
  }
}
