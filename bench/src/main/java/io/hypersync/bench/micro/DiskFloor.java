package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import java.io.IOException;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The reference of everything durable: an {@code O_DSYNC} overwrite of a 4 KiB block. */
@State(Scope.Thread)
public class DiskFloor {
  private Scratch scratch;
  private Work work;

  public DiskFloor() {}

  @Setup
  public void begin() throws IOException {
    scratch = Scratch.create();
    work = scratch.onDisk(Operation.DISK_OVERWRITE);
  }

  void overwrite() throws IOException {
    work.run();
  }

  @TearDown
  public void end() throws IOException {
    work.close();
    scratch.close();
  }
}
