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
 * All files and directories, at present and as a power cut would leave them. Knows no errors: who
 * calls has checked that names exist, or do not. Not thread-safe.
 */
final class DiskImage {
  private static final int ROOT_MODE = 040755;
  private static final long ROOT_ID = 1;

  private Naming naming;
  private Set<Lie> lies = Set.of();
  private final Map<Long, DiskNode> nodes = new HashMap<>();
  private final List<NameChange> unsyncedNames = new ArrayList<>();
  private long lastId = ROOT_ID;

  /** An empty root directory. */
  DiskImage(Naming naming) {
    this.naming = naming;
    nodes.put(ROOT_ID, new DiskNode(ROOT_ID, ROOT_MODE, 0, 0, 0));
  }

  /** From now on names become durable like this. */
  void setNaming(Naming newNaming) {
    naming = newNaming;
  }

  /** From now on it only pretends to do these. */
  void setLies(Set<Lie> newLies) {
    lies = Set.copyOf(newLies);
  }

  @Nullable DiskNode node(long id) {
    return nodes.get(id);
  }

  /** Makes a node with one name. */
  DiskNode make(DiskNode directory, String name, int mode, int uid, int gid, long nowNs) {
    DiskNode node = new DiskNode(++lastId, mode, uid, gid, nowNs);
    nodes.put(node.id, node);
    link(node, directory, name);
    return node;
  }

  /** One more name. */
  void link(DiskNode node, DiskNode directory, String name) {
    node.links++;
    change(NameChange.of(new Step(directory, name, node)));
  }

  /** One name less. */
  void unlink(DiskNode directory, String name) {
    leave(directory.names.get(name));
    change(NameChange.of(new Step(directory, name, null)));
  }

  /** Moves, over what is there. */
  void rename(DiskNode from, String name, DiskNode to, String newName) {
    DiskNode node = from.names.get(name);
    DiskNode replaced = to.names.get(newName);
    if (node == replaced) {
      return;
    }
    leave(replaced);
    change(NameChange.of(new Step(from, name, null), new Step(to, newName, node)));
  }

  /** fsync, fdatasync or msync. */
  void syncFile(DiskNode node) {
    if (lies.contains(Lie.FILE_SYNCS)) {
      return;
    }
    node.sync();
    if (naming == Naming.JOURNALED) {
      commitJournal(node);
    }
  }

  /** fsync of a directory. */
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
   * Loses what was not synced, but for what survives by chance.
   *
   * @param survival how likely a change does, 0 to 1; with 1 all of them do, as a whole
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

  /** A rename to another directory is durable as a whole when one of both is synced. */
  private void commitNames(DiskNode directory) {
    List<NameChange> committed = new ArrayList<>();
    List<NameChange> left = new ArrayList<>();
    for (NameChange change : unsyncedNames.reversed()) {
      // What happened before to the same names must not come after it.
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

  /** Everything that can be reached. */
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
