package io.hypersync.bench;

import io.hypersync.bench.micro.Figure;
import io.hypersync.bench.micro.MicroSuite;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Performance targets of the JMH suites. */
final class MicroTargets {
  private static final int LARGE_BYTES = 65_536;
  private static final double TIMES_LARGE = 10;
  private static final int SMALL_BYTES = 4_096;
  private static final double TIMES_SMALL = 5;
  private static final int BLOCK_BYTES = 64;
  private static final double BLOCK_NS = 150;
  private static final int FILES = 1_000_000;
  private static final double ONE_CHUNK_US = 10;
  private static final double THOUSAND_CHUNKS_US = 100;
  private static final double PROOF_US = 1_000;
  private static final int WORKERS = 8;
  private static final double COMMITS_PER_S = 20_000;
  private static final int CHUNK_BYTES = 65_536;
  private static final double ENCODED_GB_PER_S = 1;
  private static final double DECODED_GB_PER_S = 0.5;
  private static final double WHOLE_GB_PER_S = 2;
  private static final double BYTES_PER_US_PER_GB_PER_S = 1_000;
  private static final double NS_PER_US = 1_000;
  private static final double US_PER_S = 1e6;

  private final List<Figure> figures;
  private final List<Target> aims = new ArrayList<>();

  private MicroTargets(List<Figure> figures) {
    this.figures = figures;
  }

  /** Returns the targets that these figures allow to be judged. */
  static List<Target> of(List<Figure> figures) {
    MicroTargets all = new MicroTargets(figures);
    all.timesCodec("blake3_64k_times_codec", LARGE_BYTES, "64 KiB", TIMES_LARGE);
    all.timesCodec("blake3_4k_times_codec", SMALL_BYTES, "4 KiB", TIMES_SMALL);
    all.oneBlock();
    all.merkle("writeOneChunk", "merkle_one_chunk_p99", "a write of one chunk", ONE_CHUNK_US);
    all.merkle(
        "truncateThousandChunks",
        "merkle_thousand_chunks_p99",
        "a truncation of 1,000 chunks",
        THOUSAND_CHUNKS_US);
    all.merkle("proof", "merkle_proof_p99", "the proof for a file", PROOF_US);
    all.leader();
    all.raptorq("encode", "raptorq_encode_gb_per_s", "10 % of repair symbols", ENCODED_GB_PER_S);
    all.raptorq(
        "decodeLost", "raptorq_decode_lost_gb_per_s", "five lost symbols of 52", DECODED_GB_PER_S);
    all.raptorq("decodeWhole", "raptorq_decode_whole_gb_per_s", "no lost symbol", WHOLE_GB_PER_S);
    return all.aims;
  }

  private void timesCodec(String key, int bytes, String size, double atLeast) {
    Map<String, String> params = Map.of("bytes", Integer.toString(bytes));
    find(MicroSuite.BLAKE3, "ours", params)
        .ifPresent(
            ours ->
                with(
                    MicroSuite.BLAKE3,
                    "codec",
                    params,
                    codec -> {
                      double times = codec.bestUs() / ours.bestUs();
                      aims.add(
                          new Target(
                              key,
                              String.format(
                                  Locale.ROOT,
                                  "BLAKE3 of %s at least %.0f times as fast as Commons Codec",
                                  size,
                                  atLeast),
                              String.format(Locale.ROOT, "%.1f times", times),
                              times >= atLeast));
                    }));
  }

  private void oneBlock() {
    with(
        MicroSuite.BLAKE3,
        "ours",
        Map.of("bytes", Integer.toString(BLOCK_BYTES)),
        ours -> {
          double ns = ours.p50Us() * NS_PER_US;
          aims.add(
              new Target(
                  "blake3_block_ns",
                  String.format(
                      Locale.ROOT,
                      "BLAKE3 of one block of 64 bytes in less than %.0f ns",
                      BLOCK_NS),
                  String.format(Locale.ROOT, "%.0f ns", ns),
                  ns < BLOCK_NS));
        });
  }

  private void merkle(String method, String key, String what, double limitUs) {
    with(
        MicroSuite.MERKLE,
        method,
        Map.of("files", Integer.toString(FILES)),
        figure ->
            figure
                .p99Us()
                .ifPresent(
                    p99 ->
                        aims.add(
                            new Target(
                                key,
                                String.format(
                                    Locale.ROOT,
                                    "with %,d files %s in less than %,.0f us p99, the root with it",
                                    FILES,
                                    what,
                                    limitUs),
                                String.format(Locale.ROOT, "%,.1f us", p99),
                                p99 < limitUs))));
  }

  private void leader() {
    with(
        MicroSuite.LEADER,
        "commit",
        Map.of("workers", Integer.toString(WORKERS)),
        commit -> {
          double perSecond = US_PER_S / commit.p50Us();
          aims.add(
              new Target(
                  "leader_commits_per_s",
                  String.format(
                      Locale.ROOT,
                      "%,.0f commits a second by a leader with %d simulated workers",
                      COMMITS_PER_S,
                      WORKERS),
                  String.format(Locale.ROOT, "%,.0f", perSecond),
                  perSecond >= COMMITS_PER_S));
        });
  }

  private void raptorq(String method, String key, String what, double atLeast) {
    with(
        MicroSuite.RAPTORQ,
        method,
        Map.of(),
        figure -> {
          double rate = CHUNK_BYTES / figure.p50Us() / BYTES_PER_US_PER_GB_PER_S;
          aims.add(
              new Target(
                  key,
                  String.format(
                      Locale.ROOT,
                      "RaptorQ of chunks of 64 KiB with %s: at least %.1f GB/s",
                      what,
                      atLeast),
                  String.format(Locale.ROOT, "%.2f GB/s", rate),
                  rate >= atLeast));
        });
  }

  private void with(
      MicroSuite subject, String method, Map<String, String> params, Consumer<Figure> aim) {
    find(subject, method, params).ifPresent(aim);
  }

  /** Returns the first figure whose parameters include these. */
  private Optional<Figure> find(MicroSuite subject, String method, Map<String, String> params) {
    return figures.stream()
        .filter(figure -> figure.subject() == subject && figure.method().equals(method))
        .filter(figure -> figure.params().entrySet().containsAll(params.entrySet()))
        .findFirst();
  }
}
