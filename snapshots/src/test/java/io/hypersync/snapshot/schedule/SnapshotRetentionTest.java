package io.hypersync.snapshot.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which snapshots go, and which stay (hypersync.md 14.1). */
class SnapshotRetentionTest {
  private static final long HOUR_NS = 3_600_000_000_000L;

  /**
   * One case. Snapshots are named by the time of their last entry, in hours; the interval is one.
   *
   * @param busy those that are needed or read
   * @param kept what is left when nothing goes any more
   */
  record Row(
      String what,
      int retain,
      int daily,
      List<Integer> all,
      Set<Integer> busy,
      List<Integer> kept) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("few enough", 3, 0, List.of(1, 2, 3), Set.of(), List.of(1, 2, 3)),
        new Row("the oldest go", 3, 0, List.of(1, 2, 3, 4, 5), Set.of(), List.of(3, 4, 5)),
        new Row("what is read stays", 2, 0, List.of(1, 2, 3, 4), Set.of(1), List.of(1, 3, 4)),
        new Row(
            "those that came soon after another go first",
            3,
            0,
            List.of(1, 2, 2, 2, 3),
            Set.of(),
            List.of(1, 2, 3)),
        new Row(
            "not while there are few enough",
            4,
            0,
            List.of(1, 1, 1, 2),
            Set.of(),
            List.of(1, 1, 1, 2)),
        new Row(
            "of older ones the last of each day stays",
            2,
            5,
            List.of(1, 23, 24, 47, 72, 90, 95, 96, 97),
            Set.of(),
            List.of(23, 47, 95, 96, 97)),
        new Row(
            "not more than the setting says",
            1,
            2,
            List.of(1, 25, 49, 73, 97),
            Set.of(),
            List.of(49, 73, 97)),
        new Row(
            "a clock that jumped ahead takes no past",
            3,
            0,
            List.of(1, 2, 900_000),
            Set.of(),
            List.of(1, 2, 900_000)));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void whatGoesAndWhatStays(Row row) {
    SnapshotRetention retention =
        new SnapshotRetention(new SnapshotPolicy(HOUR_NS, row.retain, row.daily));
    List<Snapshot> left = new ArrayList<>();
    for (int hour : row.all) {
      left.add(at(left.size(), hour));
    }
    Snapshot gone;
    while ((gone = retention.surplus(left, each -> !row.busy.contains(hour(each)))) != null) {
      left.remove(gone);
    }
    assertEquals(row.kept, left.stream().map(SnapshotRetentionTest::hour).toList());
  }

  @Test
  void oneThatCannotBeReadIsLikeAnyOther() {
    SnapshotRetention retention = new SnapshotRetention(new SnapshotPolicy(HOUR_NS, 2, 1));
    Snapshot damaged = new Snapshot(5, 0, 0, 0, false, "", new byte[3]);
    List<Snapshot> all = Arrays.asList(at(1, 1), damaged, at(6, 30), at(7, 31));
    assertEquals(at(1, 1).index(), retention.surplus(all, _ -> true).index());
  }

  private static int hour(Snapshot snapshot) {
    return (int) (snapshot.lastTimeNs() / HOUR_NS);
  }

  private static Snapshot at(long index, int hour) {
    Manifest manifest =
        new Manifest(new WorkspaceId(1, 1), index, hour * HOUR_NS, 0, FsState.genesis());
    byte[] bytes = manifest.write(PageWriter.complete(RootVersion.V2, Blake3::hash)).bytes();
    return new Snapshot(index, 0, 0, 0, false, "", bytes);
  }
}
