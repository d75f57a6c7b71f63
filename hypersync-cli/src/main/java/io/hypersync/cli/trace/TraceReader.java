package io.hypersync.cli.trace;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a trace record by record and verifies each before returning it; holds at most one record in
 * memory. Not thread-safe. Does not close the stream.
 */
public final class TraceReader {
  private final InputStream in;
  private final int version;
  private final RootVersion roots;
  private Hash check;
  private long position = TraceFormat.HEADER_BYTES;
  private long entries;
  private long chunks;
  private boolean begun;
  private boolean ended;

  /**
   * Reads the file header.
   *
   * @param in should be buffered
   * @throws TraceException if this is not a trace, or has an unknown version
   */
  public TraceReader(InputStream in) throws IOException {
    this.in = in;
    byte[] header = in.readNBytes(TraceFormat.HEADER_BYTES);
    boolean isWhole = header.length == TraceFormat.HEADER_BYTES;
    this.version = isWhole ? header[4] & 0xff : 0;
    int code = isWhole ? header[5] & 0xff : 0;
    if (!Arrays.equals(header, TraceFormat.header(version, code))) {
      throw new TraceException("not a trace: it does not begin as one does");
    }
    if (version > TraceFormat.VERSION || version == 0) {
      throw new TraceException(
          "a trace of version "
              + version
              + "; versions up to "
              + TraceFormat.VERSION
              + " are known");
    }
    RootVersion known = RootVersion.ofCode(version < TraceFormat.VERSION ? version : code);
    if (known == null || !Arrays.equals(header, TraceFormat.header(version, known))) {
      throw new TraceException(
          "a trace of version " + version + " with roots of the unknown version " + code);
    }
    this.roots = known;
    this.check = Blake3.hash(header);
  }

  /** Returns the format version of the file. */
  public int version() {
    return version;
  }

  /** Whether the file has the pages of states that its entries restore. */
  boolean hasPages() {
    return version >= TraceFormat.VERSION;
  }

  /** Returns the version of the roots in the file. */
  public RootVersion roots() {
    return roots;
  }

  /** Returns the number of entries read so far. */
  public long entries() {
    return entries;
  }

  /** Returns the number of chunks and pages read so far. */
  public long chunks() {
    return chunks;
  }

  /**
   * Returns the next record, or null after the last one.
   *
   * @throws TraceException if the file is damaged or truncated; nothing more can be read then
   */
  public @Nullable TraceRecord next() throws IOException {
    if (ended) {
      return null;
    }
    byte[] header = exactly(TraceFormat.RECORD_HEADER_BYTES);
    try {
      CanonicalReader fields = new CanonicalReader(header);
      int kind = fields.u8();
      int length = fields.u32();
      if (length < 0 || length > TraceFormat.MAX_PAYLOAD_BYTES) {
        throw damaged("it claims " + Integer.toUnsignedString(length) + " bytes");
      }
      byte[] payload = exactly(length);
      Hash expected = TraceFormat.check(check, kind, payload);
      if (!expected.equals(Hash.read(exactly(Hash.BYTES), 0))) {
        throw damaged("its bytes do not match its check");
      }
      TraceRecord record = record(kind, payload);
      check = expected;
      position += TraceFormat.RECORD_HEADER_BYTES + length + Hash.BYTES;
      return record;
    } catch (DecodeException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable TraceRecord record(int kind, byte[] payload)
      throws IOException, DecodeException {
    CanonicalReader fields = new CanonicalReader(payload);
    return switch (kind) {
      case TraceFormat.ENTRY -> {
        entries++;
        yield new TraceRecord.Entry(payload);
      }
      case TraceFormat.CHUNK -> {
        int bytes = payload.length - Hash.BYTES;
        if (bytes < 1 || bytes > ChunkRef.MAX_LENGTH) {
          throw damaged("a chunk in a record of " + payload.length + " bytes");
        }
        chunks++;
        yield new TraceRecord.ChunkData(
            fields.hash(), Arrays.copyOfRange(payload, Hash.BYTES, payload.length));
      }
      case TraceFormat.CHECKPOINT -> {
        TraceRecord checkpoint = new TraceRecord.Checkpoint(fields.size(), fields.hash());
        fields.finish();
        yield checkpoint;
      }
      case TraceFormat.STATE -> {
        if (!hasPages() || begun || entries > 0) {
          throw damaged("a state to begin with, where none can be");
        }
        begun = true;
        yield new TraceRecord.State(payload);
      }
      case TraceFormat.END -> {
        end(fields);
        yield null;
      }
      default -> throw damaged("it is of the unknown kind " + kind);
    };
  }

  private void end(CanonicalReader fields) throws IOException, DecodeException {
    long declaredEntries = fields.size();
    long declaredChunks = fields.size();
    fields.finish();
    if (declaredEntries != entries || declaredChunks != chunks) {
      throw damaged(
          "it ends after "
              + (entries + " entries and " + chunks + " chunks, and says ")
              + (declaredEntries + " and " + declaredChunks));
    }
    if (in.read() >= 0) {
      throw damaged("something follows the end");
    }
    ended = true;
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw damaged("the file ends in the middle");
    }
    return bytes;
  }

  private TraceException damaged(String what) {
    return new TraceException("damaged in the record at byte " + position + ": " + what);
  }
}
