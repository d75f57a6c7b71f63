package io.hypersync.worker.vfs;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.Node;
import java.io.Serial;
import java.util.List;

/** Reads files of the workspace for the worker itself. Thread-safe. */
public final class OwnReads {
  private final FileReader reader;

  /** Reads these chunks; {@code recent} is told of each. */
  public OwnReads(ChunkStore chunks, UsedChunks recent) {
    this.reader = new FileReader(chunks, recent);
  }

  /** Chunks that are not here, or cannot be read here; the leader may have them. */
  public static final class Missing extends Exception {
    @Serial private static final long serialVersionUID = 1;

    private final transient List<ChunkRef> chunks;

    Missing(UnreadableChunks why) {
      super(why.getMessage(), null, false, false);
      this.chunks = why.chunks().stream().map(UnreadableChunks.Unreadable::ref).toList();
    }

    /** Different ones, at least one. */
    public List<ChunkRef> chunks() {
      return chunks;
    }
  }

  /**
   * The first bytes of a file.
   *
   * @param most how many at most
   * @throws Missing if some of them are not here
   */
  public byte[] beginning(FileContent content, Node file, int most) throws Missing {
    try {
      return reader.read(content, file.attributes().size(), 0, most);
    } catch (UnreadableChunks e) {
      throw new Missing(e);
    }
  }
}
