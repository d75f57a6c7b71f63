package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Report on how chunks get through paths that lose packets, as text and JSON. */
final class LossReport {
  private static final double NS_PER_MS = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double PERCENT = 100;
  private static final double HALF = 0.5;
  private static final double A_LITTLE_SLOWER = 1.03;
  private static final String STREAMS = "streams";

  private LossReport() {}

  static SuiteResult of(Load load, Workers workers, List<LossFound> found) {
    ObjectNode tree = load.json().put("workers", workers.count());
    ArrayNode rows = tree.putArray("rows");
    Table table =
        Table.of(
            ">LOST",
            ">BURST",
            ">DELAY",
            "DATA PLANE",
            ">64K P50",
            ">P99",
            ">1M P50",
            ">P99",
            ">MIB/S",
            ">SENT A BYTE",
            ">ASKED");
    for (LossFound one : found) {
      table.row(
          one.path().percent(),
          one.path().burst().toMillis() + " ms",
          one.path().delay().toMillis() + " ms",
          one.mode(),
          millis(one.smallP50()),
          millis(one.smallP99()),
          millis(one.largeP50()),
          millis(one.largeP99()),
          String.format(Locale.ROOT, "%.1f", one.bytesPerSecond() / BYTES_PER_MIB),
          String.format(Locale.ROOT, "%.2f", one.sentPerByte()),
          String.format(Locale.ROOT, "%.1f %%", one.asked() * PERCENT));
      rows.addObject()
          .put("lost", one.path().lost())
          .put("burst_ms", one.path().burst().toMillis())
          .put("delay_ms", one.path().delay().toMillis())
          .put("data_plane", one.mode())
          .put("write_64k_ms_p50", one.smallP50() / NS_PER_MS)
          .put("write_64k_ms_p99", one.smallP99() / NS_PER_MS)
          .put("write_1m_ms_p50", one.largeP50() / NS_PER_MS)
          .put("write_1m_ms_p99", one.largeP99() / NS_PER_MS)
          .put("bytes_per_s", Math.round(one.bytesPerSecond()))
          .put("sent_per_byte", one.sentPerByte())
          .put("chunks_asked", one.asked());
    }
    List<Target> aims = aims(found);
    Target.write(aims, tree);
    String text =
        load.text()
            + workers.text()
            + "\nFrom the end of a write through one mount until the last of the others shows it,"
            + " in ms.\nMIB/S: 64 MiB in writes of 1 MiB, until all is shown. SENT A BYTE: what the"
            + " leader sends through\nthe paths for each byte written. ASKED: chunks that had not come before a reader asked.\nBURST: how long all is lost in one go, on average. DELAY: in each direction.\n"
            + table.render("")
            + Target.text(aims);
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static List<Target> aims(List<LossFound> found) {
    List<Target> aims = new ArrayList<>();
    for (LossFound one : found) {
      if (one.mode().equals(STREAMS)) {
        continue;
      }
      LossFound streams = one.in(STREAMS, found);
      String path = one.path().text();
      if (one.path().lost() > 0) {
        aims.add(
            ratio(
                one.mode() + "-loss",
                path + ": p99 of 1 MiB with " + one.mode() + " at most half of streams'",
                (double) one.largeP99() / streams.largeP99(),
                HALF));
      } else if (one.mode().equals("auto")) {
        aims.add(
            ratio(
                "auto-clean",
                path + ": p50 of 1 MiB with auto at most 3 % more than streams'",
                (double) one.largeP50() / streams.largeP50(),
                A_LITTLE_SLOWER));
      }
    }
    return aims;
  }

  private static Target ratio(String key, String goal, double ratio, double most) {
    return new Target(key, goal, String.format(Locale.ROOT, "%.2f times", ratio), ratio <= most);
  }

  private static String millis(long ns) {
    return String.format(Locale.ROOT, "%.1f", ns / NS_PER_MS);
  }
}
