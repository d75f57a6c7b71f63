package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.id.NodeId;

/**
 * What an entry did to one node, as far as it matters for hazards.
 *
 * @param index of the entry
 * @param from the first byte whose content it changed; 0 for others than {@link What#CONTENT}
 * @param end the first byte behind those
 */
record Touch(NodeId node, long index, Author author, What what, long from, long end) {
  enum What {
    /** Bytes of a file were written, cut off or cleared. */
    CONTENT,
    /** The node got another name. */
    RENAME,
    /** A name of the node was removed. */
    UNLINK,
    /** A name of the node was given to another node. */
    REPLACE
  }

  static Touch content(NodeId node, long index, Author author, long from, long end) {
    return new Touch(node, index, author, What.CONTENT, from, end);
  }

  static Touch name(NodeId node, long index, Author author, What what) {
    return new Touch(node, index, author, what, 0, 0);
  }

  boolean overlaps(Touch other) {
    return what == What.CONTENT
        && other.what == What.CONTENT
        && from < other.end
        && other.from < end;
  }
}
