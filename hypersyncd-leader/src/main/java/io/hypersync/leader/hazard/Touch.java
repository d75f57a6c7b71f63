package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.id.NodeId;

/**
 * What an entry did to one node, as far as it matters for hazards.
 *
 * @param index of the entry
 * @param from the first byte whose content it changed; 0 for others than {@link What#CONTENT}
 * @param end the first byte behind those
 * @param written stands for the bytes that it has written there, which are the same if this and the
 *     range are; {@link #NOTHING_WRITTEN} if it has cut off or cleared
 */
public record Touch(
    NodeId node, long index, Author author, What what, long from, long end, long written) {
  /** No bytes were given. */
  public static final long NOTHING_WRITTEN = 0;

  /** The kinds of touches. */
  public enum What {
    /** Bytes of a file were written, cut off or cleared. */
    CONTENT(1),
    /** The node got another name. */
    RENAME(2),
    /** A name of the node was removed. */
    UNLINK(3),
    /** A name of the node was given to another node. */
    REPLACE(4);

    private final int code;

    What(int code) {
      this.code = code;
    }

    /** Its number in files. */
    int code() {
      return code;
    }
  }

  static Touch content(NodeId node, long index, Author author, long from, long end, long written) {
    return new Touch(node, index, author, What.CONTENT, from, end, written);
  }

  static Touch name(NodeId node, long index, Author author, What what) {
    return new Touch(node, index, author, what, 0, 0, NOTHING_WRITTEN);
  }

  boolean overlaps(Touch other) {
    return what == What.CONTENT
        && other.what == What.CONTENT
        && from < other.end
        && other.from < end;
  }

  /** Whether both have written the same bytes to the same place. */
  boolean isSameWrite(Touch other) {
    return written != NOTHING_WRITTEN
        && written == other.written
        && from == other.from
        && end == other.end;
  }

  /** Whether it has written bytes over those that the other one has written, and not the same. */
  boolean overwrites(Touch other) {
    return written != NOTHING_WRITTEN
        && other.written != NOTHING_WRITTEN
        && overlaps(other)
        && !isSameWrite(other);
  }
}
