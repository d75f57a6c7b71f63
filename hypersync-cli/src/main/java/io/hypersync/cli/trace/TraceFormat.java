package io.hypersync.cli.trace;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;

/**
 * Format of a golden trace: a log from its first entry on, or from the entry behind a state, the
 * chunks that it refers to, and the roots that a replay must reach (hypersync.md 22.2). One file;
 * integers are big-endian. Version 3:
 *
 * <pre>
 *   0               4       5       6       8
 *   +---------------+-------+-------+-------+
 *   | magic "HSTR"  |version| roots | zero  |   file header, then records
 *   |               | = 3   | u8    |       |   roots: RootVersion.code of all roots in the file
 *   +---------------+-------+-------+-------+
 *
 *   0       1              5                5 + length          37 + length
 *   +-------+--------------+----------------+-------------------+
 *   | kind  | length (u32) | payload        | check 32 B        |   a record
 *   +-------+--------------+----------------+-------------------+
 *
 *   kind  payload
 *    1    entry       a log entry as it is logged and sent (LogEntryCodec)
 *    2    chunk       BLAKE3 32 B, then 1 to 65,536 bytes: content, or a page of a state
 *    3    checkpoint  index u64, Merkle root of the filesystem after that entry 32 B
 *    4    end         number of entries u64, of chunks u64; nothing follows
 *    5    state       the manifest of a state (Manifest); not in versions 1 and 2
 * </pre>
 *
 * The check of a record is BLAKE3 of the previous record's check, the kind, the length and the
 * payload; for the first record, BLAKE3 of the file header is the previous check. So any changed
 * bit and any removed, added or moved record is detected.
 *
 * <p>Entries are in order. The first one has index 1, or follows the entry of the state record, of
 * which there is at most one, before all entries. A chunk may be anywhere before the end; a writer
 * puts it before the first entry that needs it. The pages of the state come before its record,
 * those of a state that an entry restores before that entry. The content of the files of such
 * states is not in the file, unless entries in it have it. Chunks that are inline in an entry have
 * no record. A checkpoint follows its entry; the last entry has one.
 *
 * <p>Versions 1 and 2 are read, and not written any more. There the version is that of the roots,
 * and byte 5 is zero. They begin with entry 1, and cannot have an entry that restores a state.
 */
final class TraceFormat {
  static final int HEADER_BYTES = 8;
  static final int RECORD_HEADER_BYTES = 5;

  /** More than the largest entry: one that reaps 65,536 orphans, 1 MiB of ids. */
  static final int MAX_PAYLOAD_BYTES = 2 << 20;

  static final int ENTRY = 1;
  static final int CHUNK = 2;
  static final int CHECKPOINT = 3;
  static final int END = 4;
  static final int STATE = 5;

  /** What is written. */
  static final int VERSION = 3;

  static final int CHECKPOINT_BYTES = 8 + Hash.BYTES;
  static final int END_BYTES = 16;

  private static final int MAGIC = 0x48535452; // "HSTR"

  private TraceFormat() {}

  static byte[] header(int version, RootVersion roots) {
    return header(version, version < VERSION ? 0 : roots.code());
  }

  static byte[] header(int version, int roots) {
    return new CanonicalWriter(HEADER_BYTES).u32(MAGIC).u8(version).u8(roots).u16(0).toBytes();
  }

  static Hash check(Hash before, int kind, byte[] payload) {
    CanonicalWriter out =
        new CanonicalWriter(Hash.BYTES + RECORD_HEADER_BYTES + payload.length)
            .hash(before)
            .u8(kind)
            .bytes(payload);
    return Blake3.hash(out.array(), 0, out.length());
  }
}
