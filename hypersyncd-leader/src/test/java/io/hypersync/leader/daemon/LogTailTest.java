package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.fixtures.Entries;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.admin.UserError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The newest entries, for any number requested. */
final class LogTailTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MANY = 100_000;

  /** A lower bound of an entry's length as JSON. */
  private static final int ENTRY_BYTES = 300;

  /** How many bytes Jackson buffers before it writes. */
  private static final int JACKSON_BYTES = 16 << 10;

  private final MemoryOpLog log = new MemoryOpLog();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private static byte[] entry(long index) {
    return Entries.of(index, new FsOp.MakeDir(FsState.ROOT, Name.of("d" + index), 0755, 0, 0))
        .creating(new NodeId(1, index + 1))
        .root(new Hash(1, 2, 3, index))
        .encoded();
  }

  private void append(int count) throws OpLogFullException {
    for (int i = 0; i < count; i++) {
      long index = log.appendedIndex() + 1;
      log.append(index, entry(index), false);
    }
    log.sync();
  }

  private void write(LogTail tail) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      tail.serialize(json, JSON.getSerializerProviderInstance());
    }
  }

  private List<Long> indexes() throws IOException {
    List<Long> found = new ArrayList<>();
    for (JsonNode entry : JSON.readTree(out.toByteArray()).path("entries")) {
      found.add(entry.path("log_index").asLong());
    }
    return found;
  }

  @Test
  void theNewestAreShownAndNoneThatCameAfterTheQuestion() throws Exception {
    append(10);
    LogTail tail = LogTail.of(log, 3);
    append(5);
    write(tail);
    assertEquals(10, JSON.readTree(out.toByteArray()).path("commit_index").asLong());
    assertEquals(List.of(8L, 9L, 10L), indexes());
  }

  @Test
  void aShortLogAndAnEmptyOneAreShownWhole() throws Exception {
    write(LogTail.of(log, 20));
    assertEquals(
        "{\"commit_index\":0,\"oldest_index\":1,\"entries\":[]}",
        out.toString(StandardCharsets.UTF_8));
    out.reset();
    append(2);
    write(LogTail.of(log, Integer.MAX_VALUE));
    assertEquals(List.of(1L, 2L), indexes());
    out.reset();
    write(LogTail.of(log, -1));
    assertEquals(List.of(), indexes());
  }

  /** Entries that were read are written out before more are read. */
  @Test
  void noMoreThanASliceOfTheLogIsInMemory() throws Exception {
    append(MANY);
    List<String> wrong = new ArrayList<>();
    long[] handed = new long[2]; // entries, reads of the log
    OpLog watched =
        (OpLog)
            Proxy.newProxyInstance(
                LogTailTest.class.getClassLoader(),
                new Class<?>[] {OpLog.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("read") && arguments.length == 3) {
                    if (out.size() + JACKSON_BYTES < handed[0] * ENTRY_BYTES) {
                      wrong.add(
                          handed[0] + " entries were read, and " + out.size() + " bytes written");
                    }
                    assertTrue((long) arguments[1] <= LogTail.SLICE_BYTES);
                    int count =
                        log.read(
                            (long) arguments[0],
                            (long) arguments[1],
                            (RecordConsumer) arguments[2]);
                    handed[0] += count;
                    handed[1]++;
                    return count;
                  }
                  return method.invoke(log, arguments);
                });
    write(LogTail.of(watched, MANY));
    assertEquals(List.of(), wrong);
    assertEquals(MANY, handed[0]);
    assertTrue(handed[1] > 10, () -> "in " + handed[1] + " slices");
    assertEquals(MANY, indexes().size());
  }

  @Test
  void aTrimmedLogIsShownFromItsFirstEntryOn() throws Exception {
    append(10);
    LogTail before = LogTail.of(log, 20);
    assertEquals(8, log.trim(7));
    write(LogTail.of(log, 20));
    assertEquals(List.of(8L, 9L, 10L), indexes());
    UserError error = assertThrows(UserError.class, () -> write(before));
    assertEquals("log entry 1 was removed meanwhile", error.message());
  }

  @Test
  void theNewestOfAnAgentAreFoundBehindThoseOfOthers() throws Exception {
    List<Long> lakes = List.of(1L, 5L, 4_000L, 8_193L, 9_000L);
    for (long index = 1; index <= 10_000; index++) {
      String agent = lakes.contains(index) ? "Lake" : index == 7_000 ? "" : "River";
      log.append(
          index,
          Entries.of(index, new FsOp.MakeDir(FsState.ROOT, Name.of("d" + index), 0755, 0, 0))
              .creating(new NodeId(1, index + 1))
              .agent(agent)
              .encoded(),
          false);
    }
    log.sync();
    for (int count = 0; count <= lakes.size(); count++) {
      out.reset();
      write(LogTail.of(log, count, "Lake"));
      assertEquals(lakes.subList(lakes.size() - count, lakes.size()), indexes());
    }
    out.reset();
    write(LogTail.of(log, 20, "Lake"));
    assertEquals(lakes, indexes());
    out.reset();
    write(LogTail.of(log, 20, ""));
    assertEquals(List.of(7_000L), indexes());
    out.reset();
    write(LogTail.of(log, 20, "lake"));
    assertEquals(List.of(), indexes());
  }

  @Test
  void anEntryThatMakesNoSenseIsNamed() throws Exception {
    append(2);
    log.append(3, new byte[] {99}, false);
    append(1);
    UserError error = assertThrows(UserError.class, () -> write(LogTail.of(log, 20)));
    assertTrue(error.message().startsWith("log entry 3 makes no sense"), error::message);
  }
}
