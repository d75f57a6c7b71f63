package io.hypersync.mutants;

import static io.hypersync.mutants.Mutant.answers;
import static io.hypersync.mutants.Mutant.callAnswers;
import static io.hypersync.mutants.Mutant.lastArgument;
import static io.hypersync.mutants.Mutant.replaces;
import static io.hypersync.mutants.Mutant.skips;

import io.hypersync.sim.Emphasis;
import java.util.List;
import java.util.stream.Stream;

/** The mutants that the simulator must detect. */
final class Mutants {
  /** Acknowledged mutations are durable, and applied once. */
  private static final List<Mutant> ACKS =
      List.of(
          lastArgument(
              "acks are sent before the log is synced",
              "leader.LeaderAgent",
              "doWork",
              "IntentHandler.release",
              Long.MAX_VALUE),
          skips(
              "a leader that starts again does not know what it had committed",
              "leader.recovery.LogReplay",
              "remember",
              "IntentIndex.add"),
          skips(
              "an intent is not remembered when it is sequenced",
              "leader.sequencer.Sequencer",
              "sequence",
              "IntentIndex.add"),
          callAnswers(
              "a write is sequenced before its chunks are here",
              "leader.sequencer.IntentHandler",
              "findMissing",
              "Set.add",
              1),
          callAnswers(
              "an intent overtakes one that waits for chunks",
              "leader.sequencer.IntentQueue",
              "add",
              "ArrayDeque.size",
              1));

  /** Intents that are in the log are known, in memory and in their store. */
  private static final List<Mutant> INTENTS =
      List.of(
          skips(
              "an intent is in memory, and is not found",
              "leader.sequencer.RecentIntents",
              "add",
              "SequenceMap.put"),
          answers(
              "intents leave memory when they are taken, before they are written",
              "leader.sequencer.IntentIndex",
              "beingWritten",
              null),
          skips(
              "the covered index is written before the intents, which never are",
              "leader.sequencer.IntentStore",
              "addRows",
              "IntentStore.addIntent"),
          callAnswers(
              "intents of a client whose first ones are stored count as new",
              "leader.sequencer.StoredClient",
              "and",
              "Math.max",
              0L));

  /** The log, and its recovery. */
  private static final List<Mutant> LOG =
      List.of(
          replaces(
              "the time of the log goes back with the wall clock",
              "leader.sequencer.Sequencer",
              "sequence",
              "Math.max",
              "first"),
          replaces(
              "appends are not given their offset",
              "leader.sequencer.Sequencer",
              "sequence",
              "FsStateMachine.resolve",
              "unresolved"),
          callAnswers(
              "the chunks of an entry are not synced with it",
              "leader.sequencer.Sequencer",
              "sequence",
              "Sequencer.hasPayload",
              0),
          callAnswers(
              "an entry is recovered without its chunks",
              "leader.recovery.LogReplay",
              "onRecord",
              "LogReplay.restoreChunks",
              1),
          skips(
              "small chunks are not restored from the log",
              "leader.recovery.LogReplay",
              "restoreChunks",
              "LogReplay.restore"));

  /** Overlaps of the work of different agents are told, and no others. */
  private static final List<Mutant> HAZARDS =
      List.of(
          skips(
              "what an entry changes is not looked at when others come",
              "leader.hazard.HazardDetector",
              "logged",
              "TouchWindow.add"),
          answers(
              "any two changes of one file count as overlapping",
              "leader.hazard.Touch",
              "overlaps",
              1),
          skips(
              "a leader that starts does not look at the entries behind its snapshot",
              "leader.recovery.LogReplay",
              "onRecord",
              "LoggedWork.replayed"),
          skips(
              "a leader that starts does not know what was done before its snapshot",
              "leader.hazard.TouchWindow",
              "of",
              "TouchWindow.add"),
          answers(
              "whatever another agent has written was not read",
              "leader.hazard.Findings",
              "isUnseen",
              1),
          answers(
              "the same bytes once more count as others", "leader.hazard.Touch", "isSameWrite", 0));

  /** A worker is there as long as its lease goes on, and a token takes up its own session only. */
  private static final List<Mutant> PRESENCE =
      List.of(
          callAnswers(
              "a resume token is taken whoever has signed it",
              "leader.presence.ResumeTokens",
              "judge",
              "ResumeKey.verify",
              1),
          callAnswers(
              "a worker takes up a session by the token of another one",
              "leader.presence.ResumeTokens",
              "said",
              "String.equals",
              1),
          callAnswers(
              "whoever takes up a session of an earlier leader joins again",
              "leader.presence.Presence",
              "begin",
              "OptionalLong.isPresent",
              0),
          skips("who has left leaves again", "leader.presence.Presence", "end", "Map.remove"),
          callAnswers(
              "a lease ends with its connection",
              "leader.presence.Presence",
              "offline",
              "Clock.later",
              0L),
          callAnswers(
              "a run that comes back without a token joins again",
              "leader.presence.Presence",
              "arrived",
              "ClientId.equals",
              0),
          callAnswers(
              "a worker takes a notice twice", "worker.notice.Notices", "take", "Notices.isNew", 1),
          skips(
              "a notice for a worker that is away is not kept",
              "leader.notice.NoticeQueue",
              "add",
              "ArrayDeque.addLast"));

  /** Disks that fail, lose data or damage it. */
  private static final List<Mutant> DISKS =
      List.of(
          skips(
              "a damaged log is cut, wherever it is damaged",
              "leader.oplog.chronicle.LogRecovery",
              "replay",
              "LogRecovery.requireUnacknowledged"),
          callAnswers(
              "nobody looks for what the log says was durable",
              "leader.oplog.chronicle.LogRecovery",
              "proof",
              "Math.max",
              0L),
          callAnswers(
              "the checksum of a record is not compared",
              "leader.oplog.chronicle.SegmentScanner",
              "recordAt",
              "RecordCodec.crcMatches",
              1),
          skips(
              "what was written and perhaps acknowledged is not carried over",
              "leader.oplog.chronicle.LogRecovery",
              "replay",
              "List.add"),
          callAnswers(
              "a damaged chunk is served",
              "chunkstore.ChunkStore",
              "requireIntact",
              "Hash.equals",
              1),
          callAnswers(
              "a chunk that the leader knows is not read before an intent relies on it",
              "leader.sequencer.IntentHandler",
              "findMissing",
              "VerifiedChunks.has",
              1));

  /** Open orphans are kept, and all others are reaped. */
  private static final List<Mutant> ORPHANS =
      List.of(
          callAnswers(
              "orphans are reaped though they are held",
              "leader.lease.Orphans",
              "look",
              "Predicate.test",
              0),
          answers(
              "orphans are reaped at once",
              "leader.lease.DelayedIndex",
              "dueThrough",
              Long.MAX_VALUE),
          skips(
              "orphans are never looked at again",
              "leader.lease.Orphans",
              "look",
              "ArrayDeque.addLast"),
          answers("open files are not renewed", "worker.lease.OpenLeaseClient", "renew", null),
          skips(
              "what is opened is not said",
              "worker.lease.OpenLeaseClient",
              "tick",
              "OpenLeaseClient.flush"),
          callAnswers(
              "orphans are reaped whatever workers have reported",
              "leader.lease.Reaper",
              "dueThrough",
              "WorkerSession.isEstablished",
              0),
          skips(
              "orphans are reaped though they were held before a reconnect",
              "leader.lease.OpenLeaseTable",
              "established",
              "Set.add"),
          skips(
              "a new leader is not told what is open",
              "worker.lease.OpenLeaseClient",
              "welcomed",
              "OpenLeaseClient.send"));

  /** Locks exclude each other, expire, and are reported correctly. */
  private static final List<Mutant> LOCKS =
      List.of(
          callAnswers(
              "what was on its way when its lock was lost is let through",
              "leader.sequencer.IntentHandler",
              "sequence",
              "LockFence.admits",
              1),
          callAnswers(
              "locks that conflict are granted",
              "leader.lock.LockTable",
              "lock",
              "FileLocks.conflict",
              null),
          skips(
              "an unlock wakes nobody",
              "leader.lock.LockTable",
              "unlock",
              "LockTable.grantWaiting"),
          skips(
              "a lock that is given up is granted later",
              "leader.lock.LockManager",
              "cancel",
              "LockTable.cancel"),
          answers("deadlocks are not seen", "leader.lock.LockTable", "closesCircle", 0),
          skips(
              "the locks of a machine that is gone are kept",
              "leader.lock.LockManager",
              "tick",
              "LockManager.expire"),
          skips(
              "the locks of a machine's earlier run are kept",
              "leader.lock.LockManager",
              "established",
              "LockManager.end"),
          callAnswers(
              "a machine goes on with the locks of its earlier run",
              "leader.lock.LockManager",
              "established",
              "ClientId.equals",
              1),
          callAnswers(
              "locks expire at once",
              "leader.lock.LockManager",
              "tick",
              "LockSession.renewedNs",
              -100_000_000_000L),
          answers("locks are not renewed", "worker.lock.LockClient", "renew", null),
          skips(
              "locks are renewed only when the leader warns",
              "worker.lock.LockClient",
              "tick",
              "LockClient.renew"),
          skips(
              "lock answers are not said again",
              "leader.lock.LockManager",
              "resumed",
              "Stream.forEach"),
          skips(
              "lock requests are not said again",
              "worker.lock.LockClient",
              "welcomed",
              "Collection.forEach"),
          skips(
              "a worker does not see that its lock session is another one",
              "worker.lock.LockClient",
              "welcomed",
              "LockClient.forgetSession"),
          skips(
              "a grant that is given up is not undone",
              "leader.lock.LockManager",
              "undo",
              "LockTable.restore"),
          skips("a close frees no locks", "leader.lock.LockManager", "release", "LockTable.unlock"),
          replaces(
              "a lock is told before what its holder wrote is visible",
              "worker.lock.LockClient",
              "answered",
              "IndexCallbacks.when",
              "atOnce"));

  /** Workers apply the log, wait, and time out. */
  private static final List<Mutant> WORKERS =
      List.of(
          callAnswers(
              "an entry is applied before its chunks are here",
              "worker.replica.Replica",
              "apply",
              "Replica.isHeldUp",
              0),
          lastArgument(
              "an error is told before the state that it rests on is visible",
              "worker.intents.IntentTracker",
              "completeIfDone",
              "PendingMutation.completeIfDone",
              Long.MAX_VALUE),
          callAnswers(
              "an intent is sent again behind a newer one, under its old number",
              "worker.intents.IntentTracker",
              "sendAgain",
              "CallerClientIds.isNewest",
              1),
          answers("a call waits for ever", "worker.intents.IntentTracker", "expire", 0),
          answers(
              "a busy leader is not asked again", "worker.intents.IntentTracker", "retry", null),
          skips(
              "a worker that is told to send less does not send it again",
              "worker.WorkerAgent",
              "received",
              "IntentTracker.rateLimited"),
          answers("a silent leader is not noticed", "worker.link.LinkMonitor", "isSilent", 0),
          answers(
              "barriers that the leader has answered are not passed",
              "worker.link.ReadBarrier",
              "answered",
              null),
          callAnswers("strict reads ask nobody", "worker.vfs.Vfs", "handle", "Vfs.isRead", 0),
          lastArgument(
              "a worker shows what the leader's disk does not have yet",
              "worker.WorkerAgent",
              "doWork",
              "Replica.apply",
              Long.MAX_VALUE),
          skips(
              "a worker does not tell how far it is",
              "worker.WorkerAgent",
              "doWork",
              "WorkerAgent.report"),
          skips(
              "entries are kept over a reconnect, and taken again",
              "worker.replica.Replica",
              "forgetNotDurable",
              "ArrayDeque.clear"),
          skips(
              "chunks that were asked for before a reconnect are waited for",
              "worker.WorkerAgent",
              "linkUp",
              "Replica.forgetNotDurable"),
          skips(
              "after a reconnect nobody asks what became of an intent",
              "worker.WorkerAgent",
              "doWork",
              "IntentTracker.reconnected"),
          skips(
              "what the leader has never heard of is not sent again",
              "worker.intents.IntentTracker",
              "status",
              "TreeMap.put"),
          answers("an open does not wait for its barrier", "worker.WorkerAgent", "isFresh", 1),
          callAnswers(
              "a mutation does not wait for its barrier",
              "worker.intents.MutationGate",
              "submit",
              "MutationGate.isByDescriptor",
              1),
          skips(
              "how far the leader is is not noticed",
              "worker.WorkerAgent",
              "received",
              "ReadBarrier.observed"),
          callAnswers(
              "an fsync does not wait",
              "worker.intents.IntentTracker",
              "awaitInFlight",
              "Set.isEmpty",
              1));

  /** Snapshots, of the leader and of workers. */
  private static final List<Mutant> SNAPSHOTS =
      List.of(
          skips(
              "a snapshot is in the catalog before its pages are synced",
              "snapshot.SnapshotTask",
              "next",
              "ChunkStore.sync"),
          replaces(
              "a worker's snapshot has entries that are not durable at the leader",
              "worker.snapshot.WorkerSnapshots",
              "tick",
              "SnapshotManager.tick",
              "tickAhead"),
          replaces(
              "the index of a snapshot is one too high",
              "snapshot.schedule.SnapshotManager",
              "decided",
              "SnapshotSource.manifest",
              "oneTooHigh"),
          skips(
              "a snapshot that is given up leaves its marks",
              "snapshot.SnapshotTask",
              "abandon",
              "PageWriter.undo"),
          callAnswers(
              "a worker that begins with a snapshot says that it has nothing",
              "worker.replica.Replica",
              "<init>",
              "Manifest.index",
              0L),
          callAnswers(
              "a manifest does not have the next inode number",
              "model.state.StatePages",
              "write",
              "FsState.nextInode",
              2L),
          replaces(
              "a start of the leader gives inode numbers again",
              "leader.sequencer.Sequencer",
              "<init>",
              "LeaderState.state",
              "countingAnew"),
          replaces(
              "a worker's snapshot is not the leader's, though its root is",
              "worker.snapshot.WorkerSnapshots",
              "tick",
              "SnapshotManager.tick",
              "tickWithoutOrphans"));

  /** A log that is trimmed, and workers that install a snapshot instead. */
  private static final List<Mutant> INSTALLS =
      List.of(
          callAnswers(
              "an install that is cut off counts as whole",
              "worker.install.SnapshotInstall",
              "work",
              "PageWalker.step",
              0),
          skips(
              "an installed snapshot is in the catalog before its pages are synced",
              "snapshot.InstallTask",
              "step",
              "ChunkStore.sync"),
          callAnswers(
              "the log is trimmed before a snapshot has its entries",
              "leader.LeaderAgent",
              "trimmableThrough",
              "SnapshotManager.previousIndex",
              Long.MAX_VALUE),
          callAnswers(
              "the log is trimmed before its intents are stored",
              "leader.LeaderAgent",
              "trimmableThrough",
              "IntentIndex.through",
              Long.MAX_VALUE),
          skips(
              "a jump of a mounted worker is not shown",
              "worker.WorkerAgent",
              "jumpIfWaiting",
              "VisibilityGate.replaced"),
          skips(
              "after a jump a worker does not fetch the bytes that it lacks",
              "worker.WorkerAgent",
              "jumpIfWaiting",
              "Backfill.begin"),
          callAnswers(
              "a worker that is offered a snapshot gets entries, too",
              "leader.session.WorkerSessions",
              "stream",
              "WorkerSession.isInstalling",
              0),
          callAnswers(
              "a worker takes snapshots before it has all pages of the one it began with",
              "worker.WorkerAgent",
              "doWork",
              "WorkerAgent.isInstalled",
              1),
          skips(
              "chunks of a snapshot are not looked for after a restart",
              "worker.WorkerAgent",
              "<init>",
              "Backfill.begin"));

  /**
   * Chunks that come unasked. That one worker does not hold up another is shown by {@code
   * ChunkFanoutTest}: whoever gets nothing asks, so no history ends badly for it.
   */
  private static final List<Mutant> DATA_PLANE =
      List.of(
          answers(
              "a chunk of wrong symbols is believed",
              "worker.dataplane.BlockDecoder",
              "isIntact",
              1),
          skips(
              "nobody asks for a chunk whose symbols do not come",
              "worker.dataplane.PushedChunks",
              "tick",
              "PushedChunks.ask"),
          lastArgument(
              "the window of datagrams has no bound",
              "leader.dataplane.WorkerPushes",
              "measured",
              "Math.clamp",
              Long.MAX_VALUE),
          skips(
              "a worker that hears nothing counts as hearing for ever",
              "leader.dataplane.MulticastHearing",
              "tick",
              "MulticastHearing.leaveOut"),
          answers(
              "more is taken for all workers than there is room for",
              "leader.dataplane.MulticastFanout",
              "isFull",
              0),
          callAnswers(
              "what is sent to all workers has no rate",
              "leader.dataplane.MulticastFanout",
              "send",
              "TokenBucket.waitNs",
              0L),
          answers(
              "a packet to all workers is taken whenever it comes",
              "wire.multicast.ReplayWindow",
              "isNew",
              1),
          skips(
              "a chunk of which wrong symbols came is not asked for",
              "worker.dataplane.PushedChunks",
              "notDecoded",
              "Consumer.accept"),
          replaces(
              "symbols of another chunk of the same length are taken",
              "worker.dataplane.SymbolAssemblies",
              "add",
              "Map.get",
              "firstOf"));

  /** Who waits for a chunk that comes unasked asks for it in time, whatever else comes. */
  private static final List<Mutant> CHUNK_WAITS =
      List.of(
          callAnswers(
              "a chunk that later ones have overtaken is waited for until nothing comes",
              "worker.dataplane.ExpectedChunks",
              "overdue",
              "ExpectedChunks.isLost",
              0),
          replaces(
              "that a later chunk has begun is not noted",
              "worker.dataplane.ExpectedChunks",
              "begun",
              "Math.max",
              "first"),
          lastArgument(
              "a chunk is waited for as long as anything comes of it",
              "worker.dataplane.PushedChunks",
              "tick",
              "Patience.<init>",
              Long.MAX_VALUE));

  /**
   * What is alive is not collected. The walk over the head alone cannot be missed here: the newest
   * snapshot and the entries behind it have all of it ({@code CollectionTaskTest}). Orphans can: a
   * page that the head and a snapshot share is read once, for the head. Those that 300 histories do
   * not find are in docs/open.md.
   */
  private static final List<Mutant> COLLECTION =
      List.of(
          skips(
              "what a retained snapshot has is collected",
              "leader.collection.LiveSet",
              "nextSnapshot",
              "Manifest.walk"),
          replaces(
              "what only a mounted state of the past has is collected",
              "leader.collection.CollectionManager",
              "collect",
              "PastHolds.held",
              "noneHeld"),
          callAnswers(
              "a collection does not wait for the state of the past that is being stored",
              "leader.collection.CollectionManager",
              "tick",
              "PastHolds.isMaking",
              0),
          replaces(
              "a start of the leader does not know what is mounted of the past",
              "leader.past.PastHolds",
              "<init>",
              "Start.stored",
              "noneStored"),
          answers(
              "what only files without a name have is collected",
              "leader.collection.OpenFiles",
              "step",
              0),
          skips(
                  "what intents rely on is collected",
                  "leader.collection.CollectionManager",
                  "collect",
                  "IntentHandler.promised")
              .in(Emphasis.COLLECTIONS_BESIDE_UPLOADS),
          callAnswers(
              "what only entries behind the newest snapshot mention is collected",
              "leader.collection.LiveSet",
              "<init>",
              "CollectionRoots.logAfter",
              1_000_000L),
          callAnswers(
              "a collection does not wait for the snapshot that is being taken",
              "leader.collection.CollectionManager",
              "tick",
              "SnapshotManager.isTaking",
              0),
          skips(
              "what a snapshot has whose record was unreadable for a while is collected",
              "leader.collection.CollectionTask",
              "next",
              "CollectionTask.requireWholeCatalog"),
          skips(
              "nobody is told what was collected",
              "leader.collection.CollectionTask",
              "next",
              "CollectionMark.raise"),
          replaces(
              "a worker that comes while chunks are collected is told too little",
              "leader.collection.CollectionManager",
              "collect",
              "Math.max",
              "first"),
          lastArgument(
              "chunks are collected of entries that no snapshot has",
              "leader.collection.CollectionTask",
              "next",
              "CollectionMark.raise",
              1_000_000L),
          callAnswers(
              "what a worker shows is collected",
              "leader.collection.CollectionManager",
              "logAfter",
              "CollectionManager.shown",
              1_000_000L),
          callAnswers(
              "what a worker needs behind the snapshot that it installs is collected",
              "leader.collection.CollectionManager",
              "logAfter",
              "SnapshotManager.lowestHeld",
              1_000_000L),
          callAnswers(
              "a worker that comes is not told what was collected",
              "leader.session.HandshakeHandler",
              "welcome",
              "LongSupplier.getAsLong",
              0L),
          skips(
              "a collection that fails does not end",
              "leader.collection.CollectionTask",
              "step",
              "CollectionRun.close"),
          callAnswers(
              "a page that was stored meanwhile is not read, and what it leads to is collected",
              "leader.collection.LiveSet",
              "page",
              "SeenHashes.add",
              0));

  /** What a worker needs stays on its disk. */
  private static final List<Mutant> CACHES =
      List.of(
          skips(
              "a worker removes what entries on their way mention",
              "worker.cache.CacheCollection",
              "next",
              "Set.forEach"),
          skips(
              "a worker removes what entries mention that are applied and not visible",
              "worker.WorkerAgent$1",
              "mentioned",
              "VisibilityGate.forEachWaiting"),
          skips(
              "a worker removes the pages of its snapshots",
              "worker.cache.CacheCollection",
              "nextSnapshot",
              "Manifest.walk"),
          skips(
              "a worker removes what it shows",
              "worker.cache.CacheCollection",
              "chunkOfState",
              "CollectionRun.mark"),
          callAnswers(
              "a worker collects while it takes a snapshot",
              "worker.cache.ChunkCache",
              "tick",
              "SnapshotManager.isTaking",
              0));

  /** What is not in memory can be read again. */
  private static final List<Mutant> MEMORY =
      List.of(
          callAnswers(
              "a collection removes pages that a worker's older states need",
              "worker.cache.CacheCollection",
              "next",
              "NeededPages.next",
              0),
          callAnswers(
              "a collection removes pages that a leader's older states need",
              "leader.collection.LiveSet",
              "nextNeeded",
              "NeededPages.next",
              0));

  /** Restores of older states. */
  private static final List<Mutant> RESTORES =
      List.of(
          callAnswers(
              "a restore overwrites what others change meanwhile",
              "leader.restore.RestoreRun",
              "tick",
              "RestoreGuards.allow",
              1),
          answers(
              "a restore looks at names only, not at what others write meanwhile",
              "model.restore.RestoreGuards",
              "isAsExpected",
              1),
          skips(
              "a restore takes its own changes for those of others",
              "leader.restore.RestoreRun",
              "did",
              "RestoreGuards.did"),
          skips(
              "a restore leaves data where holes were",
              "model.restore.RestoreSteps",
              "content",
              "RestoreSteps.punch"),
          callAnswers(
              "a restore makes anew what was only moved",
              "model.restore.RestorePlanner",
              "counterpart",
              "Map.containsKey",
              0),
          skips(
              "a restore does not remove what was made since",
              "model.restore.RestorePlanner",
              "finish",
              "RestorePlanner.remove"));

  /** Undos of what one did. */
  private static final List<Mutant> UNDOS =
      List.of(
          skips(
              "an undo overwrites what others have changed since",
              "model.undo.UndoHistory",
              "entry",
              "UndoHistory.others"),
          callAnswers(
              "an undo removes directories with what others have in them",
              "model.undo.NameResets",
              "checkLoss",
              "NameResets.hasEntries",
              0));

  /** Restores of everything, each by one entry. */
  private static final List<Mutant> WHOLE_RESTORES =
      List.of(
          replaces(
              "what an entry restores is collected",
              "leader.collection.CollectionManager",
              "collect",
              "StateRestores.held",
              "noRestores"),
          callAnswers(
              "a state is collected while it is stored to be restored",
              "leader.collection.CollectionManager",
              "tick",
              "StateRestores.isMaking",
              0),
          replaces(
              "a restore of everything drops what is open",
              "leader.restore.StateRestores",
              "submit",
              "Leader.lost",
              "nothingLost"),
          replaces(
              "a restore of everything gives inode numbers again",
              "model.state.RestoreOp",
              "restore",
              "FsState.withNextInode",
              "sameInode"),
          skips(
              "a worker does not fetch the content of what an entry restores",
              "worker.WorkerAgent$Shown",
              "applied",
              "Backfill.begin"));

  /** A worker in the leader's process, which callers run. */
  private static final List<Mutant> MAIN_HOST =
      List.of(
          replaces(
              "a caller runs the agents while home owns them",
              "runtime.agent.CallerRunsExecutor",
              "runOrExecute",
              "ReentrantLock.tryLock",
              "asIfFree"),
          callAnswers(
              "a caller runs the agents within a task of its own",
              "runtime.agent.CallerRunsExecutor",
              "runOrExecute",
              "ReentrantLock.isHeldByCurrentThread",
              0),
          skips(
              "what a caller leaves for home wakes nobody",
              "runtime.agent.CallerRunsExecutor",
              "giveBack",
              "ScheduledExecutorService.execute"),
          callAnswers(
              "a caller puts nothing off for home",
              "runtime.agent.CallerRunsExecutor",
              "atHome",
              "CallerRunsExecutor.isCaller",
              0),
          replaces(
              "what was put off is overtaken",
              "wire.local.LocalLeaderTransport",
              "send",
              "CallerRunsExecutor.atHome",
              "atHomeLater"),
          skips(
              "nobody tells of a stream that was full to a caller",
              "wire.local.LocalLeaderTransport",
              "tellWritable",
              "LeaderTransportListener.writable"),
          skips(
              "a worker does not hear that its connection within the process has ended",
              "wire.local.LocalLink",
              "finish",
              "WorkerTransportListener.closed"));

  /** What is acknowledged is visible on every mount that can write. */
  private static final List<Mutant> EVERYWHERE =
      Stream.of(
              answers(
                  "an ack is sent before the slowest worker shows its entry",
                  "leader.visibility.VisibleEverywhere",
                  "admits",
                  1),
              replaces(
                  "what is shown and not settled counts as visible",
                  "worker.link.VisibilityReports",
                  "tick",
                  "LeaderLink.send",
                  "oneAhead"),
              callAnswers(
                  "who gets no lease any more is not waited for until the last one is over",
                  "leader.visibility.VisibleEverywhere",
                  "grant",
                  "VisibleEverywhere.longest",
                  0L),
              answers(
                  "a worker goes on when its lease is over",
                  "worker.link.VisibilityLease",
                  "isHeld",
                  1),
              callAnswers(
                  "a worker that joins need not show what others were told before",
                  "leader.visibility.VisibleEverywhere",
                  "admits",
                  "Math.max",
                  0L),
              callAnswers(
                  "a leader that starts does not wait for the leases of the run before",
                  "leader.visibility.VisibleEverywhere",
                  "begin",
                  "VisibleEverywhere.longest",
                  0L),
              answers(
                  "whoever asks again after a reconnect is told at once",
                  "leader.sequencer.IntentHandler",
                  "isHeldBack",
                  0))
          .map(each -> each.in(Emphasis.VISIBLE_EVERYWHERE))
          .toList();

  /** Entries come back without the payload that their worker has kept. */
  private static final List<Mutant> KEPT_PAYLOADS =
      List.of(
          callAnswers(
              "an entry goes without its payload to a connection that has not brought it",
              "leader.session.KeptPayloads",
              "sequenced",
              "LinkedHashSet.remove",
              1),
          callAnswers(
              "an entry goes without its payload to a worker that has not agreed to it",
              "leader.session.HandshakeHandler",
              "welcome",
              "Features.has",
              1),
          answers(
              "a worker drops a payload before its entry has come",
              "worker.intents.IntentTracker",
              "payload",
              null),
          replaces(
              "a worker looks for the payload in another call",
              "worker.intents.IntentTracker",
              "payload",
              "Map.get",
              "firstOf"));

  /** Who has made a call. */
  private static final List<Mutant> AGENTS =
      List.of(
          callAnswers(
              "the agent name of a recycled pid",
              "worker.identity.AgentCache",
              "known",
              "Watch.isUnchanged",
              1),
          callAnswers(
              "the agent name of a recycled pid is believed where looking takes too long",
              "worker.identity.AgentCache",
              "believed",
              "Watch.isUnchanged",
              1));

  /** Standbys, terms, and what is lost with a leader. */
  private static final List<Mutant> FAILOVERS =
      Stream.of(
              answers(
                  "a deposed leader goes on when it hears of the next one",
                  "leader.session.HandshakeHandler",
                  "deposed",
                  null),
              answers(
                  "a leader that lacks what a worker has seen goes on",
                  "leader.session.HandshakeHandler",
                  "lacking",
                  null),
              skips(
                  "the term of a takeover is not stored",
                  "leader.standby.Takeover",
                  "of",
                  "Disk.begin"),
              answers(
                  "a standby that lacks content of files is promoted",
                  "leader.standby.Takeover",
                  "requireChunks",
                  null),
              callAnswers(
                  "a standby's log goes on behind a gap",
                  "leader.standby.StandbyLog",
                  "begins",
                  "OpLog.appendedIndex",
                  Long.MAX_VALUE),
              skips(
                  "what a standby has fetched counts before it is synced",
                  "worker.WorkerAgent",
                  "synced",
                  "EntryMirror.complete"),
              skips(
                  "what is in a log is not known to who takes it over",
                  "leader.recovery.LogReplay",
                  "remember",
                  "IntentIndex.add"),
              answers(
                  "what a lost leader has answered counts at the next one",
                  "worker.intents.PendingMutation",
                  "isOfLostEntry",
                  0))
          .map(mutant -> mutant.in(Emphasis.FAILOVER))
          .toList();

  static final List<Mutant> ALL =
      Stream.of(
              ACKS,
              HAZARDS,
              PRESENCE,
              INTENTS,
              LOG,
              DISKS,
              ORPHANS,
              LOCKS,
              WORKERS,
              SNAPSHOTS,
              INSTALLS,
              COLLECTION,
              DATA_PLANE,
              CHUNK_WAITS,
              CACHES,
              MEMORY,
              RESTORES,
              UNDOS,
              WHOLE_RESTORES,
              MAIN_HOST,
              EVERYWHERE,
              KEPT_PAYLOADS,
              AGENTS,
              FAILOVERS)
          .flatMap(List::stream)
          .toList();

  private Mutants() {}
}
