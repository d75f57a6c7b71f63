package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.leader.archive.BackupCheck;
import io.hypersync.leader.archive.BackupDirectory;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.StatePages;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.Snapshot;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;

/** What is in a backup directory, as {@code docs/json.md} describes it. */
final class BackupTrees {
  private static final long NS_PER_MS = 1_000_000;
  private static final int STEPS_PER_LINE = 100_000;

  private BackupTrees() {}

  static ObjectNode contents(Path directory, BackupDirectory.Contents contents) {
    ObjectNode tree = head(directory, contents);
    ArrayNode states = tree.putArray("states");
    contents.states().forEach(state -> states.add(json(state)));
    return tree;
  }

  private static ObjectNode head(Path directory, BackupDirectory.Contents contents) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("dir", directory.toString());
    tree.put("workspace", contents.label().workspace().toString());
    tree.put("workspace_name", contents.label().name());
    tree.put("begun_at", contents.label().begun().toString());
    ArrayNode unreadable = tree.putArray("unreadable");
    contents.unreadable().forEach(unreadable::add);
    return tree;
  }

  private static ObjectNode json(Snapshot state) {
    StatePages.Size size;
    try {
      size = Manifest.size(state.manifest());
    } catch (DecodeException e) {
      size = new StatePages.Size(0, 0); // a check says what is wrong
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("index", state.index())
        .put("name", state.name())
        .put("taken_at", time(state.takenNs()))
        .put("changed_at", time(state.lastTimeNs()))
        .put("nodes", size.nodes())
        .put("file_bytes", size.allocatedBytes())
        .put("copied_bytes", state.bytes())
        .put("manifest", state.hash().toString());
  }

  private static String time(long ns) {
    return Instant.ofEpochMilli(ns / NS_PER_MS).toString();
  }

  /** Reads everything; what is bad is in the tree. */
  static ObjectNode verified(Path directory, Consumer<String> tell) {
    try (BackupDirectory backup = BackupDirectory.open(directory, "hypersync backup --verify")) {
      BackupDirectory.Contents contents = backup.contents();
      BackupCheck check =
          new BackupCheck(backup.chunks(), backup.label().workspace(), contents.states());
      for (long steps = 1; check.step(); steps++) {
        if (steps % STEPS_PER_LINE == 0) {
          tell.accept(Quantities.bytes(check.result().bytes()) + " read so far");
        }
      }
      BackupCheck.Result result = check.result();
      ObjectNode tree = head(directory, contents);
      tree.put("states", result.states())
          .put("chunks", result.chunks())
          .put("pages", result.pages())
          .put("bytes_read", result.bytes())
          .put("bad", result.bad());
      ArrayNode bad = tree.putArray("bad_items");
      for (BackupCheck.Bad each : result.named()) {
        bad.addObject()
            .put("kind", each.what())
            .put("hash", each.hash().toString())
            .put("index", each.state())
            .put("why", each.why());
      }
      if (result.bad() == 0) {
        compareRoots(backup, contents, tree);
      }
      return tree;
    }
  }

  private static void compareRoots(
      BackupDirectory backup, BackupDirectory.Contents contents, ObjectNode tree) {
    for (Snapshot state : contents.states()) {
      try {
        backup.requireRoot(state);
      } catch (UserError wrong) {
        tree.put("bad", tree.path("bad").asLong() + 1);
        ((ArrayNode) tree.path("bad_items"))
            .addObject()
            .put("kind", "root")
            .put("hash", state.hash().toString())
            .put("index", state.index())
            .put("why", wrong.message());
      }
    }
  }
}
