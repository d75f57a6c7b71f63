package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The segment files of a log directory on disk.
 *
 * @param logDirectory holds nothing but the log
 */
record DiskFiles(Path logDirectory) implements LogFiles {
  @Override
  public List<Path> segments() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(logDirectory)) {
      for (Path entry : entries) {
        if (SegmentLayout.sequenceOf(entry) >= 0) {
          found.add(entry);
        }
      }
    }
    return found;
  }

  @Override
  public boolean exists(Path file) {
    return Files.exists(file);
  }

  @Override
  public Bytes open(Path file) throws IOException {
    return new ChannelBytes(FileChannel.open(file, StandardOpenOption.READ));
  }

  private record ChannelBytes(FileChannel channel) implements Bytes {
    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return channel.read(target, position);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
