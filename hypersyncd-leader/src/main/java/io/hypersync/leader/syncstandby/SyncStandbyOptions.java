package io.hypersync.leader.syncstandby;

import io.hypersync.model.id.WorkerId;
import java.util.List;

/**
 * Which standbys are waited for. All of them are: whichever is promoted then has everything.
 *
 * @param names as in their certificates; empty if nobody is waited for
 * @param degradeAfterNs with {@link Degrade#ALONE}: how long one is waited for that does not answer
 */
public record SyncStandbyOptions(List<WorkerId> names, Degrade degrade, long degradeAfterNs) {
  /** The most names. */
  public static final int MOST = 8;

  /** Nobody is waited for. */
  public static final SyncStandbyOptions OFF =
      new SyncStandbyOptions(List.of(), Degrade.BLOCK, 10_000_000_000L);

  /** Checks the names and the time. */
  public SyncStandbyOptions {
    names = names.stream().distinct().toList();
    if (names.size() > MOST || degradeAfterNs <= 0) {
      throw new IllegalArgumentException(names.size() + " standbys, " + degradeAfterNs + " ns");
    }
  }
}
