package io.hypersync.trace;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Forges traces: changes a trace and computes valid check hashes for it. */
public final class ForgedTrace {
  private static final int FILE_HEADER = 8;
  private static final int RECORD_HEADER = 5;
  private static final int END = 4;

  private ForgedTrace() {}

  /** Offsets of the records of one kind. */
  static List<Integer> recordsOf(byte[] trace, int kind) {
    List<Integer> found = new ArrayList<>();
    for (int at = FILE_HEADER; at < trace.length; at = next(trace, at)) {
      if (trace[at] == kind) {
        found.add(at);
      }
    }
    return found;
  }

  static byte[] payload(byte[] trace, int record) {
    int begin = record + RECORD_HEADER;
    return Arrays.copyOfRange(trace, begin, begin + length(trace, record));
  }

  /** Flips one bit of the record's payload, and makes all check hashes valid. */
  static byte[] flip(byte[] trace, int record, Random random) {
    byte[] forged = trace.clone();
    int bit = random.nextInt(length(trace, record) * 8);
    forged[record + RECORD_HEADER + bit / 8] ^= (byte) (1 << (bit % 8));
    return signed(forged, 0);
  }

  /** Removes all records of one kind, and makes all check hashes valid. */
  static byte[] without(byte[] trace, int kind) {
    return signed(trace, kind);
  }

  /**
   * Recomputes the check hashes of all records that are complete by their lengths; the rest of the
   * bytes stays as it is.
   */
  public static byte[] repaired(byte[] trace) {
    if (trace.length < FILE_HEADER) {
      return trace;
    }
    int end = FILE_HEADER;
    while (end + RECORD_HEADER <= trace.length
        && length(trace, end) >= 0
        && length(trace, end) <= trace.length - end - RECORD_HEADER - Hash.BYTES) {
      end = next(trace, end);
    }
    byte[] repaired = signed(Arrays.copyOf(trace, end), 0);
    byte[] whole = Arrays.copyOf(repaired, trace.length);
    System.arraycopy(trace, end, whole, end, trace.length - end);
    return whole;
  }

  private static byte[] signed(byte[] trace, int without) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] header = Arrays.copyOf(trace, FILE_HEADER);
    out.writeBytes(header);
    Hash check = Blake3.hash(header);
    for (int at = FILE_HEADER; at < trace.length; at = next(trace, at)) {
      if (trace[at] == without) {
        continue;
      }
      byte[] record = Arrays.copyOfRange(trace, at, at + RECORD_HEADER + length(trace, at));
      if (record[0] == END && without != 0) {
        ByteBuffer.wrap(record).putLong(RECORD_HEADER + Long.BYTES, 0);
      }
      byte[] hashed = Arrays.copyOf(check.toBytes(), Hash.BYTES + record.length);
      System.arraycopy(record, 0, hashed, Hash.BYTES, record.length);
      check = Blake3.hash(hashed);
      out.writeBytes(record);
      out.writeBytes(check.toBytes());
    }
    return out.toByteArray();
  }

  private static int length(byte[] trace, int record) {
    return ByteBuffer.wrap(trace).getInt(record + 1);
  }

  private static int next(byte[] trace, int record) {
    return record + RECORD_HEADER + length(trace, record) + Hash.BYTES;
  }
}
