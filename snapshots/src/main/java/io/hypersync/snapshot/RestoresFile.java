package io.hypersync.snapshot;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code restores} of a leader's state directory: which earlier states are held because an
 * entry restores them. It is replaced as a whole. Integers are big-endian:
 *
 * <pre>
 *   0            8           9           13
 *   +------------+-----------+-----------+---------+---------------------------------+
 *   | "HSRESTOR" | format u8 | count u32 | records | BLAKE3 of what comes before 32 B |
 *   |            | = 1       |           |         |                                 |
 *   +------------+-----------+-----------+---------+---------------------------------+
 *
 *   record
 *   +--------------------------+-----------+-----------+----------------------+
 *   | exact u8                 | entry u64 | since i64 | u32 length, manifest |
 *   | 1 if the entry is known, |           |           |                      |
 *   | 0 if it is the least     |           |           |                      |
 *   +--------------------------+-----------+-----------+----------------------+
 * </pre>
 */
public final class RestoresFile {
  /** The most records: so many restores that the log still has. */
  public static final int MOST = 256;

  private static final String NAME = "restores";
  private static final long MAGIC = 0x4853524553544f52L; // "HSRESTOR"
  private static final int FORMAT = 1;
  private static final int LEAST_RECORD_BYTES = 1 + 8 + 8 + 4;

  private final Path file;

  /** The file of a state directory, which need not be there. */
  public RestoresFile(Path stateDirectory) {
    this.file = stateDirectory.resolve(NAME);
  }

  /**
   * What the file has; nothing if there is none.
   *
   * @return null if it is damaged
   * @throws IOException if it cannot be read
   */
  public @Nullable List<HeldRestore> read() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException none) {
      return List.of();
    }
    try {
      return decode(bytes);
    } catch (DecodeException e) {
      return null;
    }
  }

  /**
   * Replaces what the file has, durably.
   *
   * @param held at most {@link #MOST}
   * @throws IOException if it cannot be written; it has then what it had, or this
   */
  public void write(List<HeldRestore> held) throws IOException {
    DurableFiles.replace(file, encode(held));
  }

  /** Where it is, for messages. */
  @Override
  public String toString() {
    return file.toString();
  }

  static byte[] encode(List<HeldRestore> held) {
    if (held.size() > MOST) {
      throw new IllegalArgumentException("a file of " + held.size() + " restores");
    }
    CanonicalWriter out = new CanonicalWriter(1024).u64(MAGIC).u8(FORMAT).u32(held.size());
    for (HeldRestore each : held) {
      out.u8(each.isExact() ? 1 : 0)
          .u64(each.entry())
          .u64(each.state().takenNs())
          .bytes(each.state().manifest());
    }
    byte[] covered = out.toBytes();
    return out.hash(Blake3.hash(covered)).toBytes();
  }

  static List<HeldRestore> decode(byte[] file) throws DecodeException {
    int covered = file.length - Hash.BYTES;
    if (covered < 0
        || !Arrays.equals(
            Blake3.hash(file, 0, covered).toBytes(), 0, Hash.BYTES, file, covered, file.length)) {
      throw new DecodeException("it is damaged");
    }
    CanonicalReader in = new CanonicalReader(Arrays.copyOf(file, covered));
    if (in.u64() != MAGIC || in.u8() != FORMAT) {
      throw new DecodeException("not a file of restores");
    }
    int count = in.count(MOST, LEAST_RECORD_BYTES);
    List<HeldRestore> held = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int exact = in.u8();
      if (exact > 1) {
        throw new DecodeException("a flag of " + exact);
      }
      long entry = in.size();
      long sinceNs = in.u64();
      byte[] manifest = in.bytes(FsOp.RestoreState.MAX_MANIFEST_BYTES);
      held.add(new HeldRestore(entry, exact == 1, state(manifest, sinceNs)));
    }
    in.finish();
    return List.copyOf(held);
  }

  /**
   * What leads to a state that an entry restores.
   *
   * @param sinceNs since when it is held, in nanoseconds since 1970
   * @throws DecodeException if that is no manifest
   */
  public static Snapshot state(byte[] manifest, long sinceNs) throws DecodeException {
    return new Snapshot(Manifest.index(manifest), sinceNs, 0, 0, false, "", manifest);
  }
}
