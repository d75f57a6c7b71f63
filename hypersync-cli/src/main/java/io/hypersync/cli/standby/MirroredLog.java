package io.hypersync.cli.standby;

import io.hypersync.leader.standby.StandbyLog;
import io.hypersync.model.log.LogEntry;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.worker.port.EntryMirror;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leader and worker do not see each other: here what the worker applies gets into the log. */
public record MirroredLog(StandbyLog log) implements EntryMirror {
  @Override
  public void begins(long index) {
    log.begins(index);
  }

  @Override
  public void welcomed(long lineage, long term, long commitIndex) {
    log.welcomed(lineage, term, commitIndex);
  }

  @Override
  public long knownTerm(long lineage) {
    return log.knownTerm(lineage);
  }

  @Override
  public void standing(@Nullable StandbyStanding standing) {
    log.standing(standing);
  }

  @Override
  public boolean revoked(List<Revocation> all) {
    log.revoked(all);
    return true;
  }

  @Override
  public void withoutChunksThrough(long index) {
    log.withoutChunksThrough(index);
  }

  @Override
  public void applied(LogEntry entry) {
    log.append(entry);
  }

  @Override
  public void replaced(long index) {
    log.replaced(index);
  }

  @Override
  public void collecting(long index) {
    log.collecting(index);
  }

  @Override
  public void complete() {
    log.syncChunks();
  }

  @Override
  public void whenSynced(Runnable synced) {
    log.whenSynced(synced);
  }

  @Override
  public long syncedIndex() {
    return log.syncedIndex();
  }

  @Override
  public void close() {
    log.close();
  }
}
