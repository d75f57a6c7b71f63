package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.XattrMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FsStateMachineTest {

  @Test
  void genesisIsAnEmptyRootDirectory() {
    FsState genesis = FsState.genesis();
    Fsck.check(genesis, "genesis");
    assertEquals(1, genesis.nodes().size());
    Node root = Objects.requireNonNull(genesis.node(FsState.ROOT));
    assertEquals(1, root.inode().value());
    assertEquals(new NodeAttributes(0755, 0, 0, 2, 0, 0, 0, 0, 0), root.attributes());
    assertEquals(FsState.genesis().root(), genesis.root());
  }

  @Test
  void aNodeIdIsGivenOnce() {
    Scenario fs = new Scenario().file("/f");
    FsOp create = fs.create("/g", 0644);
    for (NodeId taken : List.of(fs.at("/f"), FsState.ROOT)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> FsStateMachine.apply(fs.state(), create, new Stamp(1, taken)));
    }
  }

  @Test
  void listsADirectoryInTheOrderOfBytes() {
    Scenario fs = new Scenario();
    byte[][] names = {{(byte) 0xff}, {'b'}, {'a', 'b'}, {'a'}, {1}, {'a', (byte) 0x80}, {'B'}};
    List<Name> expected = new ArrayList<>();
    for (byte[] name : names) {
      fs.did(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0));
      expected.add(Name.of(name));
    }
    expected.sort(null);
    Node root = Objects.requireNonNull(fs.state().node(FsState.ROOT));
    List<Name> listed = new ArrayList<>();
    ((NodeContent.Directory) root.content()).entries().forEach(entry -> listed.add(entry.name()));
    assertEquals(expected, listed);
  }

  @Test
  void lookupInWhatIsNoDirectoryFindsNothing() {
    Scenario fs = new Scenario().file("/f");
    Node file = Objects.requireNonNull(fs.state().node(fs.at("/f")));
    assertNull(fs.state().lookup(file, Name.of("f")));
  }

  /** Ops whose effects differ must give different roots, even if a listing shows no difference. */
  @Test
  void theRootCoversEverything() {
    Scenario fs = new Scenario().file("/f").dir("/d");
    FsState base = fs.state();
    List<FsOp> ops =
        List.of(
            fs.create("/g", 0644),
            fs.create("/g", 0645),
            fs.mkdir("/g", 0644),
            fs.hardLink("/f", "/g"),
            fs.unlink("/f"),
            fs.rename("/f", "/d/f", RenameMode.REPLACE),
            fs.write("/f", 0, fs.chunk("a", 1)),
            fs.write("/f", 0, fs.chunk("b", 1)),
            fs.write("/f", 1, fs.chunk("a", 1)),
            fs.truncate("/f", 1),
            fs.truncate("/f", 2),
            fs.set("/f", FsOp.SetAttributes.UID, 0, 1, 0, 0),
            fs.set("/f", FsOp.SetAttributes.GID, 0, 0, 1, 0),
            fs.set("/f", FsOp.SetAttributes.MTIME, 0, 0, 0, 5),
            fs.setXattr("/f", "user.a", fs.chunk("a", 1), XattrMode.SET),
            fs.setXattr("/f", "user.b", fs.chunk("a", 1), XattrMode.SET));
    List<Object> roots = new ArrayList<>(List.of(base.root()));
    for (FsOp op : ops) {
      Outcome outcome = FsStateMachine.apply(base, op, new Stamp(1, new NodeId(5, 5)));
      roots.add(((Outcome.Applied) outcome).state().root());
    }
    assertEquals(ops.size() + 1, roots.stream().distinct().count(), "distinct roots");
    FsOp create = ops.getFirst();
    assertNotEquals(roots.get(1), rootAfter(base, create, new Stamp(2, new NodeId(5, 5))));
    assertNotEquals(roots.get(1), rootAfter(base, create, new Stamp(1, new NodeId(5, 6))));
    assertEquals(roots.get(1), rootAfter(base, create, new Stamp(1, new NodeId(5, 5))));
  }

  private static Object rootAfter(FsState state, FsOp op, Stamp stamp) {
    return ((Outcome.Applied) FsStateMachine.apply(state, op, stamp)).state().root();
  }
}
