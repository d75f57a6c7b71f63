package io.hypersync.leader.hazard;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A window as a file beside a snapshot. Integers are big-endian:
 *
 * <pre>
 *   0            8          9            17           49
 *   +------------+----------+------------+------------+-----------------------+
 *   | "hs-touch" | ver u8 1 | index u64  | root 32 B  | authors: u32 count    |
 *   +------------+----------+------------+------------+-----------------------+
 *   an author:      agent: u32 + bytes | worker: u32 + bytes
 *   touches:        u32 count
 *   a touch:        index u64 | node 16 B | author u32 | what u8 | from u64 | end u64 | written u64
 *   repositories:   u32 count
 *   a repository:   node 16 B | index u64
 *   at the end:     BLAKE3 of all bytes before, 32 B
 * </pre>
 *
 * <p>An author is named by its number, from 0. Touches are in the order of the log, repositories in
 * that of their indexes.
 */
public final class WindowCodec {
  private static final byte[] MAGIC = {'h', 's', '-', 't', 'o', 'u', 'c', 'h'};
  private static final int VERSION = 1;
  private static final int MAX_WORKER_BYTES = 63;
  private static final int AUTHOR_BYTES = 4 + 4 + 1;
  private static final int TOUCH_BYTES = 8 + 16 + 4 + 1 + 3 * 8;
  private static final int REPOSITORY_BYTES = 16 + 8;

  /** An entry touches two nodes at most. */
  private static final int MAX_TOUCHES = 2 * TouchWindow.ENTRIES;

  private WindowCodec() {}

  /** The bytes of a file. */
  public static byte[] encode(TouchWindow.Image image) {
    Map<Author, Integer> authors = new LinkedHashMap<>();
    for (Touch touch : image.touches()) {
      authors.putIfAbsent(touch.author(), authors.size());
    }
    CanonicalWriter out =
        new CanonicalWriter(256 + image.touches().size() * TOUCH_BYTES + authors.size() * 64);
    out.raw(MAGIC).u8(VERSION).u64(image.index()).hash(image.root()).u32(authors.size());
    for (Author author : authors.keySet()) {
      out.text(author.agent()).text(author.worker().name());
    }
    out.u32(image.touches().size());
    for (Touch touch : image.touches()) {
      out.u64(touch.index())
          .node(touch.node())
          .u32(authors.getOrDefault(touch.author(), 0))
          .u8(touch.what().code())
          .u64(touch.from())
          .u64(touch.end())
          .u64(touch.written());
    }
    out.u32(image.recorded().size());
    for (TouchWindow.Recorded mark : image.recorded()) {
      out.node(mark.repository()).u64(mark.index());
    }
    return out.hash(Blake3.hash(out.toBytes())).toBytes();
  }

  /**
   * The window in a file.
   *
   * @throws DecodeException if the bytes are not what {@link #encode} writes, or are damaged
   */
  public static TouchWindow.Image decode(byte[] file) throws DecodeException {
    if (file.length < Hash.BYTES) {
      throw new DecodeException("a file of " + file.length + " bytes");
    }
    int length = file.length - Hash.BYTES;
    byte[] content = Arrays.copyOf(file, length);
    if (!Blake3.hash(content).equals(Hash.read(file, length))) {
      throw new DecodeException("damaged");
    }
    CanonicalReader in = new CanonicalReader(content);
    if (!Arrays.equals(in.raw(MAGIC.length), MAGIC)) {
      throw new DecodeException("another kind of file");
    }
    int version = in.u8();
    if (version != VERSION) {
      throw new DecodeException("version " + version);
    }
    try {
      return image(in);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(String.valueOf(e.getMessage()));
    }
  }

  private static TouchWindow.Image image(CanonicalReader in) throws DecodeException {
    long index = in.size();
    Hash root = in.hash();
    int authorCount = in.count(MAX_TOUCHES, AUTHOR_BYTES);
    List<Author> authors = new ArrayList<>(authorCount);
    for (int i = 0; i < authorCount; i++) {
      authors.add(
          new Author(in.text(LogEntry.MAX_AGENT_BYTES), new WorkerId(in.text(MAX_WORKER_BYTES))));
    }
    int touchCount = in.count(MAX_TOUCHES, TOUCH_BYTES);
    List<Touch> touches = new ArrayList<>(touchCount);
    for (int i = 0; i < touchCount; i++) {
      touches.add(touch(in, authors, index));
    }
    int repositoryCount = in.count(TouchWindow.ENTRIES, REPOSITORY_BYTES);
    List<TouchWindow.Recorded> recorded = new ArrayList<>(repositoryCount);
    for (int i = 0; i < repositoryCount; i++) {
      recorded.add(new TouchWindow.Recorded(in.node(), atMost(in.size(), index)));
    }
    in.finish();
    return new TouchWindow.Image(index, root, touches, recorded);
  }

  private static Touch touch(CanonicalReader in, List<Author> authors, long newest)
      throws DecodeException {
    long index = atMost(in.size(), newest);
    NodeId node = in.node();
    int author = in.u32();
    if (author < 0 || author >= authors.size()) {
      throw new DecodeException("author " + author + " of " + authors.size());
    }
    return new Touch(
        node, index, authors.get(author), what(in.u8()), in.size(), in.size(), in.u64());
  }

  private static long atMost(long index, long newest) throws DecodeException {
    if (index > newest) {
      throw new DecodeException("entry " + index + " behind entry " + newest);
    }
    return index;
  }

  private static Touch.What what(int code) throws DecodeException {
    for (Touch.What what : Touch.What.values()) {
      if (what.code() == code) {
        return what;
      }
    }
    throw new DecodeException("a touch of kind " + code);
  }
}
