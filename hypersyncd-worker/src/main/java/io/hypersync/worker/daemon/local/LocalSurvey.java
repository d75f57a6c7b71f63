package io.hypersync.worker.daemon.local;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.text.Printable;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.local.IgnoreFile;
import io.hypersync.worker.local.IgnoreRules;
import io.hypersync.worker.local.LocalStanding;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at what is local to this host, for its users to know: paths that only one host has are not
 * what they expect of a workspace. All looks are bounded in time and names. Thread-safe.
 */
final class LocalSurvey {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSurvey.class);

  /** Names that are looked at. */
  private static final int MAX_NAMES = 100_000;

  /** Paths that are told. */
  private static final int MAX_TOLD = 20;

  private static final long STATUS_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long CHANGE_NS = TimeUnit.SECONDS.toNanos(2);

  /** Whoever writes the file again and again gets no more lines than that. */
  private static final long SAY_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

  private static final int DIRECTORY_TYPE = 4;

  private final ReplicatedNames names;
  private final IgnoreWatch watch;
  private final KernelInodes inodes;
  private volatile @Nullable FuseNotifier notifier;
  private volatile Replicated replicated = Replicated.NONE;

  /** When the log had it last; of the one thread that says it. */
  private long saidNs = Long.MIN_VALUE;

  LocalSurvey(ReplicatedNames names, IgnoreWatch watch, KernelInodes inodes) {
    this.names = names;
    this.watch = watch;
    this.inodes = inodes;
  }

  /**
   * Replicated paths that a pattern matches, and that stay replicated.
   *
   * @param paths the first of them, printable
   * @param isComplete whether all of the workspace was looked at
   */
  private record Replicated(int count, List<String> paths, boolean isComplete) {
    static final Replicated NONE = new Replicated(0, List.of(), true);
  }

  /** A local name. */
  private record Seen(
      NodeId directory,
      @Nullable InodeNo inode,
      String path,
      byte[] name,
      LocalStanding standing) {}

  /** What a look has found. */
  private static final class Look {
    private final long endNs;
    private final Map<LocalStanding, Integer> counts = new EnumMap<>(LocalStanding.class);
    private final List<Seen> seen = new ArrayList<>();
    private boolean isComplete = true;
    private int looked;

    Look(long budgetNs) {
      endNs = System.nanoTime() + budgetNs;
    }

    int count(LocalStanding standing) {
      return counts.getOrDefault(standing, 0);
    }

    boolean isOver() {
      boolean over = looked >= MAX_NAMES || System.nanoTime() - endNs >= 0;
      isComplete &= !over;
      return over;
    }
  }

  void notifyWith(FuseNotifier now) {
    notifier = now;
  }

  /** Says what is local, in the log. */
  void say(LocalPaths.@Nullable Served served) {
    IgnoreWatch.Loaded now = watch.now();
    if (served == null && now.equals(IgnoreWatch.Loaded.NONE)) {
      return;
    }
    saidNs = System.nanoTime();
    Look look = look(served, now.rules(), CHANGE_NS);
    LOG.info(
        "{}{} local to this host (hypersync.ignore): {} patterns, {} names hidden, {} without their"
            + " directory",
        look.isComplete ? "" : "at least ",
        look.count(LocalStanding.SHOWN) == 1
            ? "1 path is"
            : look.count(LocalStanding.SHOWN) + " paths are",
        now.rules().rules().size(),
        look.count(LocalStanding.HIDDEN),
        look.count(LocalStanding.ORPHANED));
    for (IgnoreFile.Refused line : now.parsed().refused()) {
      LOG.warn(
          "hypersync.ignore, line {} is not used: {}: {}", line.number(), line.why(), line.text());
    }
    if (!now.problem().isEmpty()) {
      LOG.warn("hypersync.ignore: {}", now.problem());
    }
  }

  /** Other patterns are in effect: what the kernel knows of names may be wrong by now. */
  void changed(IgnoreWatch.Loaded now, LocalPaths.@Nullable Served served) {
    forgetMissing(now.rules(), served);
    replicated = replicated(now.rules());
    long nowNs = System.nanoTime();
    if (saidNs == Long.MIN_VALUE || nowNs - saidNs >= SAY_EVERY_NS) {
      say(served);
    }
  }

  /**
   * A hidden name may count as missing in the kernel for an hour. Those that are shown now are
   * looked up again.
   */
  private void forgetMissing(IgnoreRules rules, LocalPaths.@Nullable Served served) {
    FuseNotifier kernel = notifier;
    if (kernel == null) {
      return;
    }
    for (Seen name : look(served, rules, CHANGE_NS).seen) {
      if (name.standing == LocalStanding.SHOWN
          && name.inode != null
          && inodes.isKnown(name.inode)) {
        try {
          var _ = kernel.invalidateEntry(name.inode, name.name);
        } catch (IOException e) {
          LOG.debug("{} may stay hidden for an hour", name.path, e);
        }
      }
    }
  }

  private Look look(LocalPaths.@Nullable Served served, IgnoreRules rules, long budgetNs) {
    Look look = new Look(budgetNs);
    if (served == null) {
      return look;
    }
    try {
      FsState state = names.state();
      for (NodeId id : served.store().directories()) {
        if (look.isOver()) {
          break;
        }
        look(served.store(), state, id, rules, look);
      }
    } catch (HostCallFailed e) {
      look.isComplete = false;
      LOG.debug("{}: {}", served.store().folder(), e.getMessage());
    }
    return look;
  }

  private void look(LocalStore store, FsState state, NodeId id, IgnoreRules rules, Look look)
      throws HostCallFailed {
    List<HostFiles.Row> rows = store.rows(id, MAX_NAMES - look.looked);
    if (rows.isEmpty()) {
      return;
    }
    try {
      ReplicatedNames.Directory directory = ReplicatedNames.directory(state, id);
      List<String> path = directory == null ? null : names.path(directory);
      String shown = path == null ? store.notedPath(id) : printable(path);
      for (HostFiles.Row row : rows) {
        if (look.isOver()) {
          return;
        }
        look.looked++;
        Name name = Name.of(row.name());
        boolean isReplicated = directory != null && directory.child(name) != null;
        LocalStanding standing =
            LocalStanding.of(
                rules, path == null ? null : with(path, name), isDirectory(row), isReplicated);
        look.counts.merge(standing, 1, Integer::sum);
        look.seen.add(
            new Seen(
                id,
                directory == null ? null : directory.node().inode(),
                shown.isEmpty() ? name.toString() : shown + "/" + name,
                row.name(),
                standing));
      }
    } catch (PageUnreadableException e) {
      look.isComplete = false;
    }
  }

  private static boolean isDirectory(HostFiles.Row row) {
    return row.type() == DIRECTORY_TYPE;
  }

  private static List<String> with(List<String> path, Name name) {
    List<String> full = new ArrayList<>(path);
    full.add(IgnoreRules.text(name));
    return full;
  }

  private static String printable(List<String> path) {
    return Printable.line(String.join("/", path).getBytes(StandardCharsets.ISO_8859_1));
  }

  private record Ahead(NodeId directory, List<String> path) {}

  private Replicated replicated(IgnoreRules rules) {
    if (rules.isEmpty()) {
      return Replicated.NONE;
    }
    Look bounds = new Look(CHANGE_NS);
    List<String> told = new ArrayList<>();
    int count = 0;
    FsState state = names.state();
    ArrayDeque<Ahead> ahead = new ArrayDeque<>();
    ahead.add(new Ahead(FsState.ROOT, List.of()));
    while (!ahead.isEmpty() && !bounds.isOver()) {
      Ahead at = ahead.removeFirst();
      try {
        var node = state.node(at.directory);
        if (node == null || !(node.content() instanceof NodeContent.Directory(_, var entries))) {
          continue;
        }
        for (DirEntry entry : entries) {
          if (bounds.isOver()) {
            break;
          }
          bounds.looked++;
          List<String> path = with(at.path, entry.name());
          boolean isDirectory = entry.type() == NodeType.DIRECTORY;
          if (rules.isLocal(path, isDirectory)) {
            count++;
            if (told.size() < MAX_TOLD) {
              told.add(printable(path));
            }
          } else if (isDirectory) {
            ahead.add(new Ahead(entry.node(), path));
          }
        }
      } catch (PageUnreadableException e) {
        bounds.isComplete = false;
      }
    }
    return new Replicated(count, List.copyOf(told), bounds.isComplete);
  }

  /**
   * The status, with the keys of docs/json.md; null if there is nothing to tell.
   *
   * @param problem why nothing can be local; empty if it can
   */
  @Nullable ObjectNode status(
      LocalPaths.@Nullable Served served, String problem, int kernelNodes, int openFiles) {
    IgnoreWatch.Loaded now = watch.now();
    if (served == null && now.equals(IgnoreWatch.Loaded.NONE)) {
      return null;
    }
    Look look = look(served, now.rules(), STATUS_NS);
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("patterns", now.rules().rules().size());
    status.put("refused_lines", now.parsed().refusedLines());
    ArrayNode refused = status.putArray("refused");
    for (IgnoreFile.Refused line : now.parsed().refused()) {
      refused
          .addObject()
          .put("line", line.number())
          .put("text", line.text())
          .put("reason", line.why());
    }
    String why = problem.isEmpty() ? now.problem() : problem;
    status.put("problem", why.isEmpty() ? null : why);
    status.put("folder", served == null ? null : served.store().folder().toString());
    status.put("shown", look.count(LocalStanding.SHOWN));
    status.put("hidden", look.count(LocalStanding.HIDDEN));
    status.put("shadowed", look.count(LocalStanding.SHADOWED));
    status.put("orphaned", look.count(LocalStanding.ORPHANED));
    status.put("complete", look.isComplete);
    ArrayNode paths = status.putArray("paths");
    look.seen.stream()
        .sorted((a, b) -> b.standing.compareTo(a.standing)) // what is not shown comes first
        .limit(MAX_TOLD)
        .forEach(
            seen ->
                paths
                    .addObject()
                    .put("path", seen.path)
                    .put("standing", seen.standing.name().toLowerCase(Locale.ROOT))
                    .put("directory", seen.directory.toString()));
    Replicated kept = replicated;
    status.put("replicated", kept.count);
    status.put("replicated_complete", kept.isComplete);
    ArrayNode keptPaths = status.putArray("replicated_paths");
    kept.paths.forEach(keptPaths::add);
    status.put("kernel_nodes", kernelNodes);
    status.put("open_files", openFiles);
    return status;
  }
}
