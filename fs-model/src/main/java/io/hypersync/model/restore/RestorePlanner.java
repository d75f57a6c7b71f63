package io.hypersync.model.restore;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.TrieKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans how a subtree of the newest state becomes what it was in an earlier state, by ordinary ops.
 * Nothing outside the subtree changes, except for files that have names inside and outside.
 *
 * <p>A node that is still there, which is one with the same id below the path in both states, keeps
 * its inode number: it is moved and changed in place. All others are made anew. Two exceptions: a
 * directory takes the place of a later one of the same path, and a file that a restore has made
 * already, equal in everything, is left alone. So a plan for what is restored already is empty.
 * What the path itself leads to is not looked for below it in the other state, nor the other way
 * round.
 *
 * <p>The order: from the top down each directory gets the names that it had, by moves, exchanges,
 * links and new nodes. Only then is anything removed, so nothing that is needed elsewhere is lost
 * with a directory that is not. A name that is in the way of another leads to its node under a
 * temporary name meanwhile. The mtimes of directories come last.
 *
 * <p>Each change of names is applied to a state of its own while the plan is made. So what the plan
 * says of a name is what it leads to at that point, if nobody else changes anything meanwhile.
 *
 * <p>Takes the time of a walk over the subtree in both states, and memory for what differs. Not
 * thread-safe.
 */
public final class RestorePlanner {
  /** What a new node gets explicitly, because a directory may pass its group on. */
  static final int ATTRIBUTES =
      SetAttributes.MODE | SetAttributes.UID | SetAttributes.GID | SetAttributes.MTIME;

  private static final int OWNER_AND_MODE =
      SetAttributes.MODE | SetAttributes.UID | SetAttributes.GID;

  private static final String TEMPORARY = ".hypersync-restore-";
  private static final int STEP_EVERY = 4_096;

  /** About what an action takes on the heap, with its paths through the tries of the new state. */
  private static final long HEAP_PER_ACTION = 800;

  private static final long HEAP_PER_NODE = 150;

  private final FsState head;
  private final FsState past;
  private final Limits limits;
  private final PlannedIds ids = new PlannedIds();
  private final List<RestoreAction> actions = new ArrayList<>();

  /** The node that has the part of one of the past; only where it has another id. */
  private final Map<NodeId, NodeId> counterparts = new HashMap<>();

  /** Nodes of the past that the newest state does not have at the same name. */
  private final Set<NodeId> wanted = new HashSet<>();

  /** Where those are that the newest state has elsewhere below the path. */
  private final Map<NodeId, Place> places = new HashMap<>();

  /** The names of directories that were seen, at this point of the plan. */
  private final Map<NodeId, Name> directoryNames = new HashMap<>();

  /** Places that {@link #where} has found. */
  private final Map<NodeId, PlannedPlace> found = new HashMap<>();

  /** Files of several names that were compared. */
  private final Set<NodeId> compared = new HashSet<>();

  private Subtree inHead;
  private Subtree inPast;

  /** A directory that has the part of another one, so it cannot have its own; null for none. */
  private @Nullable NodeId claimed;

  private FsState now;
  private long timeNs;
  private long temporaries;
  private int looked;

  private record Place(NodeId parent, Name name) {}

  /** A directory of the past, the one that has its part, and the path. */
  private record Pair(Node then, NodeId now, String path) {}

  private RestorePlanner(FsState head, FsState past, Limits limits) {
    if (head.version() != past.version()) {
      throw new IllegalArgumentException("states with roots of different versions");
    }
    this.head = head;
    this.past = past;
    this.now = head;
    this.limits = limits;
    this.inHead = new Subtree(head, null, limits);
    this.inPast = new Subtree(past, null, limits);
  }

  /**
   * Plans a restore.
   *
   * @param head the newest state
   * @param past the earlier state
   * @param path the names that lead from the root to what is restored; empty for all. If it was not
   *     there in the past, it is removed
   * @throws UnrestorableException if the path is in neither state, or its directory is gone
   */
  public static RestorePlan plan(FsState head, FsState past, List<Name> path, Limits limits)
      throws UnrestorableException {
    return new RestorePlanner(head, past, limits).plan(path);
  }

  private RestorePlan plan(List<Name> path) throws UnrestorableException {
    Node then = find(past, path);
    Node there = find(head, path);
    if (then == null && there == null) {
      throw new UnrestorableException(
          "the path is in neither of the two states",
          "Give it as seen from the root of the workspace, such as src/main.");
    }
    for (int i = 1; i <= path.size(); i++) {
      Node above = find(head, path.subList(0, i));
      if (above != null) {
        named(above.id(), above.type(), path.get(i - 1));
      }
    }
    inHead = new Subtree(head, there != null && isDirectory(there) ? there.id() : null, limits);
    inPast = new Subtree(past, then != null && isDirectory(then) ? then.id() : null, limits);
    if (then != null && there != null && isDirectory(then) && isDirectory(there)) {
      if (!then.id().equals(there.id())) {
        counterparts.put(then.id(), there.id());
        claimed = there.id();
      }
      findWanted(then);
      findPlaces(there);
    }
    if (path.isEmpty()) {
      if (then != null) {
        place(new Pair(then, FsState.ROOT, ""));
        finish(new Pair(then, FsState.ROOT, ""));
      }
    } else {
      Name name = path.getLast();
      NodeId parent = parent(path);
      String text = text(path);
      if (then == null || (there != null && isDirectory(there) && !isDirectory(then))) {
        remove(parent, name, text);
      }
      if (then != null) {
        NodeId node = place(parent, name, then, text, null);
        if (isDirectory(then)) {
          place(new Pair(then, node, text));
          finish(new Pair(then, node, text));
        }
      }
    }
    return new RestorePlan(List.copyOf(actions), ids);
  }

  private static @Nullable Node find(FsState state, List<Name> path) {
    Node node = state.node(FsState.ROOT);
    for (Name name : path) {
      node = node == null ? null : state.lookup(node, name);
    }
    return node;
  }

  private NodeId parent(List<Name> path) throws UnrestorableException {
    for (int i = 1; i < path.size(); i++) {
      if (!isDirectory(find(head, path.subList(0, i)))) {
        throw new UnrestorableException(
            text(path.subList(0, i)) + " is no directory in the newest state",
            "Restore that path: it brings back what is below it, too.");
      }
    }
    Node parent = find(head, path.subList(0, path.size() - 1));
    if (parent == null) {
      throw new IllegalStateException("a state without a root");
    }
    return parent.id();
  }

  private static String text(List<Name> path) {
    StringBuilder text = new StringBuilder();
    for (Name name : path) {
      text.append(text.isEmpty() ? "" : "/").append(name);
    }
    return text.toString();
  }

  private static boolean isDirectory(@Nullable Node node) {
    return node != null && node.type() == NodeType.DIRECTORY;
  }

  private static MerkleTrie<DirEntry> entries(@Nullable Node directory) {
    return directory != null && directory.content() instanceof Directory(_, var entries)
        ? entries
        : MerkleTrie.empty();
  }

  private static Node required(FsState state, NodeId id) {
    Node node = state.node(id);
    if (node == null) {
      throw new IllegalStateException("no node " + id);
    }
    return node;
  }

  private void look() {
    looked++;
    if (looked % STEP_EVERY == 0) {
      limits.step();
    }
  }

  /** Collects the nodes of the past whose names the newest state does not have. */
  private void findWanted(Node top) {
    ArrayDeque<Node> rest = new ArrayDeque<>();
    rest.push(top);
    while (!rest.isEmpty()) {
      Node then = rest.pop();
      boolean isThere = keepsItself(then);
      MerkleTrie<DirEntry> others = isThere ? entries(head.node(then.id())) : MerkleTrie.empty();
      MerkleTrie.compare(
          others,
          entries(then),
          past.version(),
          (_, entry) -> {
            if (entry != null && wanted.add(entry.node())) {
              limits.heap(HEAP_PER_NODE);
            }
          });
      for (DirEntry entry : entries(then)) {
        look();
        if (entry.type() == NodeType.DIRECTORY) {
          rest.push(required(past, entry.node()));
        }
      }
    }
  }

  /** Finds the wanted nodes that the newest state has below the path. */
  private void findPlaces(Node top) {
    ArrayDeque<Node> rest = new ArrayDeque<>();
    rest.push(top);
    while (!rest.isEmpty()) {
      Node directory = rest.pop();
      for (DirEntry entry : entries(directory)) {
        look();
        if (wanted.contains(entry.node())) {
          limits.heap(HEAP_PER_NODE);
          places.put(entry.node(), new Place(directory.id(), entry.name()));
        }
        named(entry.node(), entry.type(), entry.name());
        if (entry.type() == NodeType.DIRECTORY) {
          rest.push(required(head, entry.node()));
        }
      }
    }
  }

  private void named(NodeId node, NodeType type, Name name) {
    if (type == NodeType.DIRECTORY && directoryNames.put(node, name) == null) {
      limits.heap(HEAP_PER_NODE);
    }
  }

  /** Where a directory is at this point of the plan. */
  private PlannedPlace where(NodeId directory) {
    List<NodeId> up = new ArrayList<>();
    NodeId at = directory;
    while (!at.equals(FsState.ROOT)) {
      if (!(required(now, at).content() instanceof Directory(NodeId parent, var _))) {
        throw new IllegalStateException("no directory: " + at);
      }
      up.add(at);
      at = parent;
    }
    PlannedPlace place = PlannedPlace.ROOT;
    for (NodeId id : up.reversed()) {
      Name name = directoryNames.get(id);
      if (name == null) {
        throw new IllegalStateException("a directory whose name was not seen: " + id);
      }
      PlannedPlace known = found.get(id);
      if (known == null || !known.isAt(place, name)) {
        known = PlannedPlace.of(place, name, id);
        limits.heap(HEAP_PER_NODE);
        found.put(id, known);
      }
      place = known;
    }
    return place;
  }

  private NameGuard guard(Place place, @Nullable NodeId node) {
    return new NameGuard(where(place.parent), place.name, node);
  }

  /** Whether a directory of the past is still there as itself. */
  private boolean keepsItself(Node then) {
    NodeId id = then.id();
    return !id.equals(claimed) && !counterparts.containsKey(id) && inHead.has(id);
  }

  /**
   * The node that has, or is to have, the part of one of the past; null if one must be made.
   *
   * @param there what the name leads to now, or null
   */
  private @Nullable NodeId counterpart(Node then, @Nullable Node there) {
    NodeId id = then.id();
    NodeId known = counterparts.get(id);
    if (known != null) {
      return known;
    }
    boolean isItself =
        isDirectory(then)
            ? keepsItself(then)
            : (there != null && there.id().equals(id)) || places.containsKey(id);
    if (isItself) {
      return id;
    }
    if (there != null && !PlannedIds.isPlanned(there.id()) && canStandFor(there, then)) {
      counterparts.put(id, there.id());
      limits.heap(HEAP_PER_NODE);
      return there.id();
    }
    return null;
  }

  /** Whether a later node can be taken for one that is gone. */
  private boolean canStandFor(Node there, Node then) {
    if (isDirectory(then)) {
      return isDirectory(there)
          && !there.id().equals(claimed)
          && !(inPast.has(there.id()) && inHead.has(there.id()));
    }
    return past.node(there.id()) == null
        && there.attributes().nlink() <= then.attributes().nlink()
        && SameNode.isSame(there, then, past.version());
  }

  /** Gives a directory the names that it had, and those below it, too. */
  private void place(Pair top) throws UnrestorableException {
    ArrayDeque<Pair> rest = new ArrayDeque<>();
    rest.push(top);
    while (!rest.isEmpty()) {
      Pair pair = rest.pop();
      for (DirEntry entry : entries(pair.then)) {
        look();
        Node then = required(past, entry.node());
        String path = below(pair.path, entry.name());
        NodeId node = place(pair.now, entry.name(), then, path, pair.then);
        if (isDirectory(then)) {
          rest.push(new Pair(then, node, path));
        }
      }
    }
  }

  private static String below(String path, Name name) {
    return path.isEmpty() ? name.toString() : path + "/" + name;
  }

  /**
   * Makes a name lead to what it led to.
   *
   * @param directory of the past that has the name, or null if its other names do not matter
   * @return the node that it leads to
   */
  private NodeId place(NodeId parent, Name name, Node then, String path, @Nullable Node directory)
      throws UnrestorableException {
    Node there = now.lookup(required(now, parent), name);
    NodeId node = counterpart(then, there);
    if (node == null) {
      return make(new Place(parent, name), then, there, path, directory);
    }
    if (there == null || !there.id().equals(node)) {
      if (isSingle(then, node)) {
        move(new Place(parent, name), node, there, path, directory);
      } else {
        link(new Place(parent, name), node, there, path, directory);
      }
    }
    if (!isDirectory(then)) {
      compare(new Place(parent, name), node, then, path);
    }
    return node;
  }

  /** Whether a node has one name then and now, so it can be moved. */
  private boolean isSingle(Node then, NodeId node) {
    if (isDirectory(then)) {
      return true;
    }
    Node before = head.node(node);
    return before != null && before.attributes().nlink() == 1 && then.attributes().nlink() == 1;
  }

  private void compare(Place at, NodeId node, Node then, String path) {
    Node before = head.node(node);
    if (before == null || before.equals(then)) {
      return; // made by this plan, or the very same
    }
    if (!SameNode.isSame(before, then, past.version()) && compared.add(node)) {
      add(new RestoreAction.Change(RestoreKind.CHANGED, path, node, guard(at, node), before, then));
    }
  }

  /** Ops on names, and what they rest on. */
  private static final class Draft {
    final List<NameGuard> names = new ArrayList<>();
    final List<NodeId> unchanged = new ArrayList<>();
    final List<NodeId> linked = new ArrayList<>();
    final List<FsOp> ops = new ArrayList<>();

    GuardedOps guarded(@Nullable NodeId creates) {
      return new GuardedOps(names, unchanged, linked, ops, creates);
    }
  }

  private NodeId make(
      Place at, Node then, @Nullable Node there, String path, @Nullable Node directory)
      throws UnrestorableException {
    NodeId node = ids.next();
    counterparts.put(then.id(), node);
    limits.heap(HEAP_PER_NODE);
    RestoreKind kind = there == null ? RestoreKind.MADE : RestoreKind.REPLACED;
    Draft draft = new Draft();
    draft.names.add(guard(at, there == null ? null : there.id()));
    boolean isInTheWay = there != null && (isDirectory(there) || isStillNeeded(there));
    if (there != null && isInTheWay) {
      draft.ops.add(aside(at, there, directory, draft));
    }
    if (isDirectory(then)) {
      if (there != null && !isInTheWay) {
        draft.unchanged.add(there.id());
        draft.ops.add(did(new FsOp.Unlink(at.parent, at.name), null));
      }
      draft.ops.add(did(creation(at, then), node));
      int mask = SameNode.mask(required(now, node), then) & OWNER_AND_MODE;
      if (mask != 0) {
        draft.ops.add(did(RestoreSteps.attributes(node, then, mask), null));
      }
      add(new RestoreAction.Names(kind, path, then.type(), draft.guarded(node)));
      return node;
    }
    boolean replaces = there != null && !isInTheWay;
    Place first = replaces ? temporary(at.parent, directory) : at;
    boolean isFile = then.type() == NodeType.FILE;
    // The state here gets the file in one op, with its name; the leader makes it without one.
    FsOp made = did(creation(first, then), node);
    draft.ops.add(isFile ? new FsOp.LinkTemporary(node, first.parent, first.name) : made);
    if (!isFile) {
      draft.ops.add(did(RestoreSteps.attributes(node, then, ATTRIBUTES), null));
    }
    if (there != null && replaces) {
      draft.names.add(guard(first, null));
      draft.unchanged.add(there.id());
      draft.ops.add(did(rename(first, at, RenameMode.REPLACE), null));
    }
    GuardedOps named = draft.guarded(isFile ? null : node);
    add(new RestoreAction.Make(kind, path, node, guard(at, node), at.parent, then, named));
    return node;
  }

  private static FsOp creation(Place at, Node then) {
    NodeAttributes a = then.attributes();
    return switch (then.content()) {
      case Directory _ -> new FsOp.MakeDir(at.parent, at.name, a.mode(), a.uid(), a.gid());
      case NodeContent.Symlink(byte[] target) ->
          new FsOp.MakeSymlink(at.parent, at.name, target, a.uid(), a.gid());
      case NodeContent.Special _ ->
          new FsOp.MakeNode(at.parent, at.name, then.type(), a.mode(), a.uid(), a.gid(), a.rdev());
      default -> new FsOp.CreateFile(at.parent, at.name, a.mode(), a.uid(), a.gid());
    };
  }

  private void move(
      Place at, NodeId node, @Nullable Node there, String path, @Nullable Node directory)
      throws UnrestorableException {
    Place from = places.get(node);
    if (from == null) {
      throw new IllegalStateException("a node to move that is nowhere");
    }
    Draft draft = new Draft();
    draft.names.add(guard(from, node));
    draft.names.add(guard(at, there == null ? null : there.id()));
    boolean isFile = there != null && !isDirectory(there) && !isDirectory(required(now, node));
    if (there == null) {
      draft.ops.add(did(rename(from, at, RenameMode.NO_REPLACE), null));
    } else if (isFile && !isStillNeeded(there)) {
      draft.unchanged.add(there.id());
      draft.ops.add(did(rename(from, at, RenameMode.REPLACE), null));
    } else {
      if (isDirectory(there) && new Subtree(now, there.id(), Limits.NONE).has(from.parent)) {
        // A directory cannot be exchanged with what is inside it.
        Place outside = temporary(at.parent, directory);
        draft.names.add(guard(outside, null));
        draft.ops.add(did(rename(from, outside, RenameMode.NO_REPLACE), null));
        from = outside;
      }
      draft.ops.add(did(rename(from, at, RenameMode.EXCHANGE), null));
      moved(there.id(), from);
    }
    places.put(node, at);
    add(
        new RestoreAction.Names(
            RestoreKind.MOVED, path, required(now, node).type(), draft.guarded(null)));
  }

  private void link(
      Place at, NodeId node, @Nullable Node there, String path, @Nullable Node directory)
      throws UnrestorableException {
    Draft draft = new Draft();
    draft.names.add(guard(at, there == null ? null : there.id()));
    boolean isInTheWay = there != null && (isDirectory(there) || isStillNeeded(there));
    Place from = places.get(node);
    if (from != null) {
      // Before anything is put aside: the guards are looked at before the ops, and the directory
      // that is in the way may be the one that has this name.
      draft.names.add(guard(from, node));
    }
    if (there != null && isInTheWay) {
      draft.ops.add(aside(at, there, directory, draft));
    }
    if (there != null && !isInTheWay) {
      Place first = temporary(at.parent, directory);
      draft.names.add(guard(first, null));
      draft.unchanged.add(there.id());
      draft.ops.add(did(new FsOp.Link(node, first.parent, first.name), null));
      draft.ops.add(did(rename(first, at, RenameMode.REPLACE), null));
    } else {
      draft.ops.add(did(new FsOp.Link(node, at.parent, at.name), null));
    }
    add(
        new RestoreAction.Names(
            RestoreKind.LINKED, path, required(now, node).type(), draft.guarded(null)));
  }

  /** Whether a file that is in the way will be put somewhere else. */
  private boolean isStillNeeded(Node there) {
    return places.containsKey(there.id());
  }

  /** Gives what is in the way a temporary name. */
  private FsOp aside(Place at, Node there, @Nullable Node directory, Draft draft)
      throws UnrestorableException {
    Place aside = temporary(at.parent, directory);
    draft.names.add(guard(aside, null));
    FsOp op = did(rename(at, aside, RenameMode.NO_REPLACE), null);
    moved(there.id(), aside);
    return op;
  }

  private void moved(NodeId node, Place to) {
    if (places.containsKey(node)) {
      places.put(node, to);
    }
  }

  private Place temporary(NodeId parent, @Nullable Node directory) {
    while (true) {
      temporaries++;
      Name name = Name.of(TEMPORARY + temporaries);
      TrieKey key = TrieKey.of(name.bytes());
      if (entries(required(now, parent)).get(key) == null && entries(directory).get(key) == null) {
        return new Place(parent, name);
      }
    }
  }

  private static FsOp rename(Place from, Place to, RenameMode mode) {
    return new FsOp.Rename(from.parent, from.name, to.parent, to.name, mode);
  }

  /** Applies an op to the state that the plan leads to. */
  private FsOp did(FsOp op, @Nullable NodeId creates) throws UnrestorableException {
    timeNs++;
    limits.heap(HEAP_PER_ACTION);
    Stamp stamp = new Stamp(Long.MIN_VALUE + timeNs, creates == null ? FsState.ROOT : creates);
    Errno refusal = FsStateMachine.refusal(now, op);
    if (refusal == null) {
      switch (FsStateMachine.apply(now, op, stamp)) {
        case Outcome.Applied(FsState next) -> {
          now = next;
          named(op, creates);
        }
        case Outcome.Failed(Errno errno) -> refusal = errno;
      }
    }
    if (refusal != null) {
      throw new UnrestorableException(
          "this cannot be brought back by single changes: " + refusal, "");
    }
    return op;
  }

  /** Notes the names that directories have after an op. */
  private void named(FsOp op, @Nullable NodeId creates) {
    if (op instanceof FsOp.MakeDir make && creates != null) {
      named(creates, NodeType.DIRECTORY, make.name());
    } else if (op instanceof FsOp.Rename rename) {
      named(new Place(rename.parent(), rename.name()));
      named(new Place(rename.newParent(), rename.newName()));
    }
  }

  private void named(Place place) {
    Node node = now.lookup(required(now, place.parent), place.name);
    if (node != null) {
      named(node.id(), node.type(), place.name);
    }
  }

  private void add(RestoreAction action) {
    limits.heap(HEAP_PER_NODE + 2L * action.path().length());
    actions.add(action);
  }

  /** Removes what was not there, and brings back the directories' own attributes. */
  private void finish(Pair top) throws UnrestorableException {
    ArrayDeque<Pair> rest = new ArrayDeque<>();
    rest.push(top);
    while (!rest.isEmpty()) {
      Pair pair = rest.pop();
      MerkleTrie<DirEntry> names = entries(pair.then);
      for (DirEntry entry : entries(required(now, pair.now))) {
        look();
        if (names.get(entry.key()) == null) {
          remove(pair.now, entry.name(), below(pair.path, entry.name()));
        }
      }
      Node directory = required(now, pair.now);
      int mask = SameNode.mask(directory, pair.then);
      boolean onlyTime =
          (mask & OWNER_AND_MODE) == 0
              && SameNode.isSameXattrs(directory, pair.then, past.version());
      if (mask != 0 || !onlyTime) {
        RestoreKind kind =
            onlyTime || PlannedIds.isPlanned(pair.now) ? RestoreKind.TIMES : RestoreKind.CHANGED;
        String path = pair.path.isEmpty() ? "." : pair.path;
        NameGuard at = where(pair.now).guard();
        add(new RestoreAction.Change(kind, path, pair.now, at, directory, pair.then));
      }
      for (DirEntry entry : names) {
        if (entry.type() == NodeType.DIRECTORY) {
          Node then = required(past, entry.node());
          NodeId node = counterparts.getOrDefault(then.id(), then.id());
          rest.push(new Pair(then, node, below(pair.path, entry.name())));
        }
      }
    }
  }

  private record Removal(NodeId parent, Name name, NodeId node, String path, boolean isEmptied) {}

  private void remove(NodeId parent, Name name, String path) throws UnrestorableException {
    Node top = now.lookup(required(now, parent), name);
    if (top == null) {
      return;
    }
    named(top.id(), top.type(), name);
    ArrayDeque<Removal> rest = new ArrayDeque<>();
    rest.push(new Removal(parent, name, top.id(), path, false));
    while (!rest.isEmpty()) {
      Removal removal = rest.pop();
      look();
      Node node = required(now, removal.node);
      boolean isDirectory = isDirectory(node);
      if (isDirectory && !removal.isEmptied) {
        rest.push(new Removal(removal.parent, removal.name, removal.node, removal.path, true));
        for (DirEntry entry : entries(node)) {
          named(entry.node(), entry.type(), entry.name());
          rest.push(
              new Removal(
                  removal.node,
                  entry.name(),
                  entry.node(),
                  below(removal.path, entry.name()),
                  false));
        }
        continue;
      }
      FsOp op =
          isDirectory
              ? new FsOp.RemoveDir(removal.parent, removal.name)
              : new FsOp.Unlink(removal.parent, removal.name);
      Draft draft = new Draft();
      draft.names.add(guard(new Place(removal.parent, removal.name), removal.node));
      draft.unchanged.add(removal.node);
      draft.ops.add(did(op, null));
      Node after = now.node(removal.node);
      if (after != null && !after.isOrphan()) {
        draft.linked.add(removal.node);
      }
      add(
          new RestoreAction.Names(
              RestoreKind.REMOVED, removal.path, node.type(), draft.guarded(null)));
    }
  }
}
