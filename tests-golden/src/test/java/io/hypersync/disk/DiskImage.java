package io.hypersync.disk;

import io.hypersync.disk.NameChange.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All files and directories, in their present state and in the state that a power cut would leave.
 * Does no error checks: callers have checked that names exist or do not. Not thread-safe.
 */
final class DiskImage {
  private static final int ROOT_MODE = 040755;
  private static final long ROOT_ID = 1;

  private Naming naming;
  private Set<Lie> lies = Set.of();
  private final Map<Long, DiskNode> nodes = new HashMap<>();
  private final List<NameChange> unsyncedNames = new ArrayList<>();
  private long lastId = ROOT_ID;

  /** Creates an image with an empty root directory. */
  DiskImage(Naming naming) {
    this.naming = naming;
    nodes.put(ROOT_ID, new DiskNode(ROOT_ID, ROOT_MODE, 0, 0, 0));
  }

  /** Sets how names become durable from now on. */
  void setNaming(Naming newNaming) {
    naming = newNaming;
  }

  /** Sets which syncs are ignored from now on. */
  void setLies(Set<Lie> newLies) {
    lies = Set.copyOf(newLies);
  }

  @Nullable DiskNode node(long id) {
    return nodes.get(id);
  }

  /** Creates a node with one name. */
  DiskNode make(DiskNode directory, String name, int mode, int uid, int gid, long nowNs) {
    DiskNode node = new DiskNode(++lastId, mode, uid, gid, nowNs);
    nodes.put(node.id, node);
    link(node, directory, name);
    return node;
  }

  /** Adds a name to a node. */
  void link(DiskNode node, DiskNode directory, String name) {
    node.links++;
    change(NameChange.of(new Step(directory, name, node)));
  }

  /** Removes a name. */
  void unlink(DiskNode directory, String name) {
    leave(directory.names.get(name));
    change(NameChange.of(new Step(directory, name, null)));
  }

  /** Renames, replacing what the new name led to. */
  void rename(DiskNode from, String name, DiskNode to, String newName) {
    DiskNode node = from.names.get(name);
    DiskNode replaced = to.names.get(newName);
    if (node == replaced) {
      return;
    }
    leave(replaced);
    change(NameChange.of(new Step(from, name, null), new Step(to, newName, node)));
  }

  /** Carries out fsync, fdatasync or msync of a file. */
  void syncFile(DiskNode node) {
    if (lies.contains(Lie.FILE_SYNCS)) {
      return;
    }
    node.sync();
    if (naming == Naming.JOURNALED) {
      commitJournal(node);
    }
  }

  /** Carries out fsync of a directory. */
  void syncDirectory(DiskNode directory) {
    if (lies.contains(Lie.DIRECTORY_SYNCS)) {
      return;
    }
    switch (naming) {
      case JOURNALED -> commitJournal(directory);
      case STRICT -> commitNames(directory);
    }
  }

  /**
   * Loses what was not synced, except for what survives by chance.
   *
   * @param survival probability that a change survives, 0 to 1; with 1 all changes survive, and
   *     none is torn
   */
  void losePower(RandomGenerator random, double survival) {
    switch (naming) {
      case JOURNALED -> {
        double part = survival < 1 ? survival * random.nextDouble() : 1;
        int length = (int) Math.round(part * unsyncedNames.size());
        unsyncedNames.subList(0, length).forEach(NameChange::applyDurably);
      }
      case STRICT ->
          unsyncedNames.stream()
              .filter(_ -> random.nextDouble() < survival)
              .forEach(NameChange::applyDurably);
    }
    unsyncedNames.clear();
    List<DiskNode> all =
        nodes.values().stream().sorted((a, b) -> Long.compare(a.id, b.id)).toList();
    all.forEach(node -> node.losePower(random, survival));
    nodes.clear();
    keep(all.getFirst());
  }

  /** A rename to another directory becomes durable as a whole when either directory is synced. */
  private void commitNames(DiskNode directory) {
    List<NameChange> committed = new ArrayList<>();
    List<NameChange> left = new ArrayList<>();
    for (NameChange change : unsyncedNames.reversed()) {
      // An earlier change of the same name must not become durable after a later one.
      boolean goesAlong = change.isIn(directory) || committed.stream().anyMatch(change::meets);
      (goesAlong ? committed : left).addFirst(change);
    }
    committed.forEach(NameChange::applyDurably);
    unsyncedNames.clear();
    unsyncedNames.addAll(left);
  }

  private void commitJournal(DiskNode node) {
    int end = unsyncedNames.size();
    while (end > 0 && !unsyncedNames.get(end - 1).concerns(node)) {
      end--;
    }
    List<NameChange> committed = unsyncedNames.subList(0, end);
    committed.forEach(NameChange::applyDurably);
    committed.clear();
  }

  private void change(NameChange change) {
    change.applyNow();
    unsyncedNames.add(change);
  }

  private static void leave(@Nullable DiskNode node) {
    if (node != null) {
      node.links--;
    }
  }

  /** Keeps a node and everything that is reachable from it. */
  private void keep(DiskNode node) {
    if (nodes.put(node.id, node) != null) {
      return;
    }
    for (DiskNode child : node.names.values()) {
      child.links++;
      keep(child);
    }
  }
}
