package io.hypersync.chunkstore.database;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The database in memory behaves like the one on RocksDB. */
class DatabaseTest {
  private static final DatabaseOptions SMALL = new DatabaseOptions(1 << 20, 64 << 10);

  @TempDir private Path directory;
  private final InMemoryDatabase memory = new InMemoryDatabase();

  enum Kind {
    ROCKS,
    MEMORY
  }

  @ParameterizedTest
  @EnumSource
  void whatIsWrittenIsThereAlsoWhenItIsOpenedAgain(Kind kind) throws IOException {
    try (Database database = open(kind)) {
      assertNull(get(database, Database.DEFAULT, "a"));
      assertEquals(Set.of(), database.families());
      database.createFamily("f");
      write(database, Database.DEFAULT, "a", "1", "f", "a", "2", "f", "b", "3");
    }
    try (Database database = open(kind)) {
      assertEquals(Set.of("f"), database.families());
      assertEquals("1", get(database, Database.DEFAULT, "a"));
      assertEquals("2", get(database, "f", "a"));
      assertEquals("3", get(database, "f", "b"));
      Batch deletion = new Batch();
      deletion.delete("f", bytes("a"));
      deletion.put("f", bytes("b"), bytes("4"));
      deletion.delete("f", bytes("never there"));
      database.write(deletion);
      assertNull(get(database, "f", "a"));
      assertEquals("4", get(database, "f", "b"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFamilyIsDroppedWithAllThatIsInIt(Kind kind) throws IOException {
    try (Database database = open(kind)) {
      database.createFamily("f");
      assertThrows(IllegalArgumentException.class, () -> database.createFamily("f"));
      write(database, "f", "a", "1");
      database.dropFamily("f");
      database.dropFamily("f");
      assertNull(get(database, "f", "a"));
      assertEquals(Set.of(), database.families());
      assertThrows(IllegalArgumentException.class, () -> scan(database, "f", "", 1));
      database.createFamily("f");
      assertNull(get(database, "f", "a"), "another one of that name");
      write(database, "f", "a", "2");
    }
    try (Database database = open(kind)) {
      assertEquals("2", get(database, "f", "a"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBatchWithAFamilyThatIsMissingChangesNothing(Kind kind) throws IOException {
    try (Database database = open(kind)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> write(database, Database.DEFAULT, "a", "1", "f", "a", "2"));
      assertNull(get(database, Database.DEFAULT, "a"));
      write(database, Database.DEFAULT, "a", "3");
      assertEquals("3", get(database, Database.DEFAULT, "a"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReadInOrderOfTheirUnsignedKeys(Kind kind) throws IOException {
    try (Database database = open(kind)) {
      database.createFamily("f");
      Batch batch = new Batch();
      for (int key : List.of(0x80, 0x01, 0xff, 0x7f)) {
        batch.put("f", new byte[] {(byte) key}, bytes(Integer.toHexString(key)));
      }
      database.write(batch);
      List<String> read = new ArrayList<>();
      byte[] next = {};
      for (int slices = 0; next != null; slices++) {
        next = database.scan("f", next, 3, (_, value) -> read.add(new String(value, UTF_8)));
        assertTrue(slices < 2, "two slices");
      }
      assertEquals(List.of("1", "7f", "80", "ff"), read);
      assertEquals("7f80", scan(database, "f", "\u0002", 2), "from a key on that is not there");
      assertEquals(4, database.approximateCount("f"));
    }
  }

  @Test
  void itIsNotOpenedTwice() throws IOException {
    try (Database _ = open(Kind.ROCKS)) {
      DatabaseException busy =
          assertThrows(DatabaseException.class, () -> open(Kind.ROCKS).close());
      assertEquals(Errno.EBUSY, busy.errno());
    }
  }

  /** A native call on a closed handle would crash the process. */
  @ParameterizedTest(name = "closed at the end: {0}")
  @ValueSource(booleans = {false, true})
  @Timeout(60)
  void familiesAreDroppedWhileOthersRead(boolean closes) throws Exception {
    Database database = open(Kind.ROCKS);
    AtomicReference<String> family = new AtomicReference<>("0");
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    database.createFamily("0");
    write(database, "0", "a", "0");
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    while (!done.get()) {
                      String name = family.get();
                      String value = get(database, name, "a");
                      assertTrue(value == null || value.equals(name), "not of another family");
                    }
                  } catch (IllegalStateException e) {
                    assertTrue(closes, "closed");
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    for (int i = 1; i < 50; i++) {
      String name = Integer.toString(i);
      database.createFamily(name);
      write(database, name, "a", name);
      String old = family.getAndSet(name);
      database.dropFamily(old);
    }
    if (closes) {
      database.close();
    }
    done.set(true);
    reader.join();
    database.close();
    assertNull(failure.get());
  }

  private Database open(Kind kind) throws IOException {
    return kind == Kind.MEMORY ? memory : RocksDatabase.open(directory.resolve("rows"), SMALL);
  }

  /** Writes a batch of families, keys and values by turns. */
  private static void write(Database database, String... rows) {
    Batch batch = new Batch();
    for (int i = 0; i < rows.length; i += 3) {
      batch.put(rows[i], bytes(rows[i + 1]), bytes(rows[i + 2]));
    }
    database.write(batch);
  }

  private static @Nullable String get(Database database, String family, String key) {
    byte[] value = database.get(family, bytes(key));
    return value == null ? null : new String(value, UTF_8);
  }

  private static String scan(Database database, String family, String from, int limit) {
    StringBuilder values = new StringBuilder();
    var _ =
        database.scan(
            family, bytes(from), limit, (_, value) -> values.append(new String(value, UTF_8)));
    return values.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
