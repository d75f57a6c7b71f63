package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.wire.message.Protocol;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountException;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.past.PastStates.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin command {@code mount}: states of the past that this worker serves beside its own mount.
 * Its argument {@code do} is {@code add} with {@code at} and {@code path}, or {@code remove} with
 * {@code path}. Any thread; each call blocks.
 */
final class PastMounts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PastMounts.class);

  /** The leader may have to replay much of its log. */
  private static final long ANSWER_LIMIT_MINUTES = 30;

  /** What the tries of one state may take of the heap. */
  private static final int MEMORY_PART = 64;

  private static final long LEAST_MEMORY = 4L << 20;
  private static final long MOST_MEMORY = 32L << 20;

  private final WorkerDaemonOptions options;
  private final PageSource pages;
  private final PastMount.Parts parts;
  private final Consumer<Consumer<WorkerAgent>> post;

  /** Both guarded by this. */
  private final List<PastMount> mounts = new ArrayList<>();

  private boolean closed;

  /**
   * No mounts yet.
   *
   * @param pages of states, here or at the leader
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   */
  PastMounts(
      WorkerDaemonOptions options,
      PageSource pages,
      PastMount.Parts parts,
      Consumer<Consumer<WorkerAgent>> post) {
    this.options = options;
    this.pages = pages;
    this.parts = parts;
    this.post = post;
  }

  ObjectNode run(JsonNode args) {
    Path path = path(args.path("path").asText());
    return switch (args.path("do").asText()) {
      case "add" -> add(args.path("at").asText(), path);
      case "remove" -> remove(path);
      default -> throw new UserError("\"do\" of mount is add or remove", "", UserError.USAGE);
    };
  }

  private static Path path(String text) {
    try {
      Path path = Path.of(text).normalize();
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      LOG.debug("not a path", e);
    }
    throw new UserError("\"path\" of mount is an absolute path", "", UserError.USAGE);
  }

  private ObjectNode add(String at, Path path) {
    int length = at.getBytes(StandardCharsets.UTF_8).length;
    if (length < 1 || length > Protocol.MAX_MOMENT_BYTES) {
      throw new UserError("there is no state \"" + at + "\"", "", UserError.USAGE);
    }
    requireElsewhere(path);
    MountFolder folder = claim(path);
    Answer.Found found = found(at);
    boolean isMounted = false;
    try {
      PastMount mounted = mounted(at, found, folder);
      isMounted = true;
      LOG.info("mounted the state of entry {} at {}", found.index(), mounted.point());
      Thread.ofVirtual().name("past-mount-watch").start(() -> watch(mounted));
      return mounted.json();
    } finally {
      if (!isMounted) {
        folder.close();
        post.accept(agent -> agent.releasePast(found.index()));
      }
    }
  }

  /** A mount inside of the workspace would have this worker wait for itself. */
  private void requireElsewhere(Path path) {
    List<Path> ours = new ArrayList<>();
    ours.add(options.mountPoint().toAbsolutePath().normalize());
    synchronized (this) {
      mounts.forEach(mount -> ours.add(mount.point()));
    }
    for (Path mount : ours) {
      if (path.startsWith(mount)) {
        throw new UserError(
            path + " is " + (path.equals(mount) ? "in use" : "inside of " + mount),
            "Give a folder that is in no workspace; it is made if it is not there.");
      }
    }
  }

  private MountFolder claim(Path path) {
    try {
      return MountFolder.claim(path, FuseMountOptions.pastSource(options.workspace()));
    } catch (MountException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    } catch (IOException e) {
      throw new UserError(
          "cannot mount on " + path + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  private Answer.Found found(String at) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    post.accept(
        agent ->
            agent.askForPast(
                at,
                told -> {
                  if (!answer.complete(told) && told instanceof Answer.Found late) {
                    agent.releasePast(late.index()); // nobody waits any more
                  }
                }));
    try {
      return switch (answer.get(ANSWER_LIMIT_MINUTES, TimeUnit.MINUTES)) {
        case Answer.Found found -> found;
        case Answer.Refused(String message, String hint) -> throw new UserError(message, hint);
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    } catch (ExecutionException e) {
      throw new IllegalStateException("it is only completed", e);
    } catch (TimeoutException e) {
      answer.cancel(false); // what comes later is given back
      throw new UserError("the leader has not answered", "Look at its log.");
    }
  }

  private PastMount mounted(String at, Answer.Found found, MountFolder folder) {
    PageCache memory = SnapshotReader.cache(pages, memoryBytes(), true);
    try {
      Manifest state =
          Manifest.read(
              found.manifest(),
              options.workspace(),
              (version, _) -> memory.reader(version),
              memory.source());
      if (state.index() != found.index() || !state.state().root().equals(found.root())) {
        throw new DecodeException("it is of another state");
      }
      FuseMountOptions mountOptions =
          FuseMountOptions.past(
              FuseMountOptions.pastSource(options.workspace()), options.suid(), options.dev());
      synchronized (this) {
        if (closed) {
          throw new UserError("the worker stops", "");
        }
        if (mounts.size() >= Protocol.MAX_PAST_STATES) {
          throw new UserError(
              Protocol.MAX_PAST_STATES + " states of the past are mounted already",
              "Unmount one of them: ./hypersync umount " + mounts.getFirst().point());
        }
        PastMount mounted = PastMount.mount(at, state, memory, parts, folder, mountOptions);
        mounts.add(mounted);
        return mounted;
      }
    } catch (DecodeException | PageMissingException e) {
      throw new UserError("what the leader sent is no state: " + e.getMessage(), "");
    } catch (MountException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    } catch (IOException e) {
      throw new UserError(
          "cannot mount on " + folder.point() + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }

  private static long memoryBytes() {
    return Math.clamp(Runtime.getRuntime().maxMemory() / MEMORY_PART, LEAST_MEMORY, MOST_MEMORY);
  }

  private void watch(PastMount mount) {
    try {
      mount.awaitEnd();
      end(mount);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whoever takes it out of the list ends it. */
  private boolean end(PastMount mount) {
    synchronized (this) {
      if (!mounts.remove(mount)) {
        return false;
      }
    }
    mount.close();
    post.accept(agent -> agent.releasePast(mount.index()));
    LOG.info("{} is not mounted any more", mount.point());
    return true;
  }

  private ObjectNode remove(Path path) {
    PastMount found = null;
    synchronized (this) {
      for (PastMount mount : mounts) {
        if (mount.point().equals(path)) {
          found = mount;
        }
      }
    }
    if (found == null || !end(found)) {
      throw new UserError("no state of the past is mounted at " + path, "");
    }
    return JsonNodeFactory.instance.objectNode().put("mount", path.toString());
  }

  /** For the status. */
  synchronized ArrayNode json() {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    mounts.forEach(mount -> all.add(mount.json()));
    return all;
  }

  /** Unmounts all; nothing is mounted afterwards. */
  @Override
  public void close() {
    List<PastMount> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(mounts);
    }
    for (PastMount mount : all) {
      boolean _ = end(mount);
    }
  }
}
