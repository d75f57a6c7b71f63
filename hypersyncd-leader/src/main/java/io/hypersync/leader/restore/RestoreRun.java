package io.hypersync.leader.restore;

import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.restore.GuardedOps;
import io.hypersync.model.restore.RestoreGuards;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageUnreadableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One restore, while its steps are committed: as ops of the leader's own, some in each turn of the
 * event loop, so that others' intents are not kept waiting. Used on the agent's thread only.
 *
 * <p>The guards of a step are compared with S_head, and its ops are sequenced, in one go on the one
 * thread that sequences. So nothing can come between a guard and the ops that rest on it.
 *
 * <p>A crash of the leader ends a restore wherever it is. Every entry of it is an ordinary change,
 * and a file with a new node has no name before it is complete; one that never gets it is reaped
 * like all others. But a file that is changed in place takes several entries: until the last one,
 * or after a crash until the restore is asked for again, it is a mixture of both.
 */
public final class RestoreRun {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreRun.class);

  private static final int OPS_PER_TURN = 64;
  private static final int LOOKS_PER_TURN = 64;

  private final RestoreGuards guards;
  private final Leader leader;
  private final ArrayDeque<RestoreStep> steps = new ArrayDeque<>();
  private final List<RestoreAnswer.Left> left = new ArrayList<>();

  /** Files that were made without a name and have none yet. */
  private final Set<NodeId> unnamed = new HashSet<>();

  private @Nullable Consumer<RestoreAnswer> asker;
  private int action = -1;

  /** How many steps of the next action have all their chunks. */
  private int looked;

  private boolean isLeft;
  private long lastIndex;
  private long entries;

  /** What commits the ops. */
  public interface Leader {
    /** S_head. */
    FsState head();

    /** Whether another entry can be taken now. */
    boolean takesMore();

    /** Why the chunks of an op cannot be relied on; null if the store has them. */
    @Nullable Errno lacking(FsOp op);

    /** Sequences an op of the leader's own. */
    Sequencer.Result sequence(FsOp op);
  }

  /**
   * A restore that has done nothing yet.
   *
   * @param planned the newest state when the plan was made
   */
  public RestoreRun(FsState planned, Leader leader) {
    this.guards = new RestoreGuards(planned);
    this.leader = leader;
  }

  /**
   * Takes steps, which are done in later turns. Not before the steps before them were answered.
   *
   * @param told what has become of them, on this thread
   */
  public void offer(List<RestoreStep> more, Consumer<RestoreAnswer> told) {
    if (asker != null) {
      throw new IllegalStateException("the steps before are not done");
    }
    steps.addAll(more);
    asker = told;
  }

  /** Whether the restore needs a file without a name, so that it must not be reaped. */
  public boolean needs(NodeId node) {
    return unnamed.contains(node);
  }

  /**
   * Commits some steps.
   *
   * @return how many entries were made
   */
  public int tick() {
    Consumer<RestoreAnswer> told = asker;
    if (told == null) {
      return 0;
    }
    int done = 0;
    while (!steps.isEmpty() && done < OPS_PER_TURN && leader.takesMore()) {
      if (steps.getFirst().action() != action && !look()) {
        return done;
      }
      RestoreStep step = steps.removeFirst();
      if (isLeft) {
        continue;
      }
      try {
        if (!guards.allow(step.ops(), leader.head())) {
          leave(null, null);
          continue;
        }
      } catch (PageUnreadableException e) {
        leave(Errno.EIO, null);
        continue;
      }
      long before = entries;
      Errno errno = commit(step.ops());
      done += (int) (entries - before);
      if (errno != null) {
        // Also if there is no room: the removals come last, and make some.
        leave(errno, entries == before ? null : given(step.ops().ops().getFirst()));
      }
    }
    if (steps.isEmpty()) {
      asker = null;
      RestoreAnswer answer = new RestoreAnswer(left, lastIndex, entries);
      left.clear();
      told.accept(answer);
    }
    return done;
  }

  /**
   * Looks whether the store has all that the next action mentions: a file must not be changed by
   * half because a collection has taken chunks since they were read. From here on they are kept
   * ({@link #promised}).
   *
   * @return whether the action has begun; if not, there is more to look at in another turn
   */
  private boolean look() {
    int next = steps.getFirst().action();
    Iterator<RestoreStep> all = steps.iterator();
    for (int i = 0; i < looked; i++) {
      var _ = all.next();
    }
    Errno lacking = null;
    for (int looks = 0; lacking == null && all.hasNext(); looks++) {
      RestoreStep step = all.next();
      if (step.action() != next) {
        break;
      }
      if (looks >= LOOKS_PER_TURN) {
        return false;
      }
      for (FsOp op : step.ops().ops()) {
        lacking = lacking == null ? leader.lacking(op) : lacking;
      }
      looked++;
    }
    looked = 0;
    action = next;
    isLeft = false;
    unnamed.clear(); // what the action before has not named is not needed any more
    if (lacking != null) {
      leave(lacking, null);
    }
    return true;
  }

  /** Names the chunks that the next steps mention, which must not be collected. */
  public void promised(Consumer<Hash> chunk) {
    for (RestoreStep step : steps) {
      for (FsOp op : step.ops().ops()) {
        op.chunks().forEach(ref -> chunk.accept(ref.hash()));
      }
    }
  }

  private void leave(@Nullable Errno errno, @Nullable Name other) {
    isLeft = true;
    left.add(new RestoreAnswer.Left(action, errno, other));
  }

  /** The name that an op has given; null if none. */
  private static @Nullable Name given(FsOp op) {
    return switch (op) {
      case FsOp.LinkTemporary link -> link.newName();
      case FsOp.Link link -> link.newName();
      case FsOp.Rename rename -> rename.newName();
      case FsOp.MakeSymlink make -> make.name();
      case FsOp.MakeNode make -> make.name();
      default -> null;
    };
  }

  private void did(FsOp op, NodeId created, FsState before) {
    try {
      guards.did(op, created, before, leader.head());
    } catch (PageUnreadableException e) {
      LOG.debug("what was done there counts as somebody else's, and is left alone", e);
    }
  }

  private @Nullable Errno commit(GuardedOps step) {
    for (FsOp planned : step.ops()) {
      FsState before = leader.head();
      switch (leader.sequence(guards.real(planned))) {
        case Sequencer.Result.Refused(Errno errno) -> {
          return errno;
        }
        case Sequencer.Result.Sequenced(LogEntry entry, byte[] _) -> {
          entries++;
          lastIndex = entry.index();
          NodeId created = entry.createdNode();
          NodeId id = step.creates();
          if (id != null && !created.equals(LogEntry.NO_NODE)) {
            guards.made(id, created);
          }
          if (entry.op() instanceof FsOp.MakeTemporary) {
            unnamed.add(created);
          } else if (entry.op() instanceof FsOp.LinkTemporary link) {
            unnamed.remove(link.node());
          }
          did(entry.op(), created, before);
        }
      }
    }
    return null;
  }
}
