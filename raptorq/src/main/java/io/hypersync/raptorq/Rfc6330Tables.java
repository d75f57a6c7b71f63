package io.hypersync.raptorq;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The numbers that RFC 6330 prints: table 2 (section 5.6) and V0 to V3 (section 5.5). */
final class Rfc6330Tables {
  private static final String RESOURCE = "rfc6330-tables.txt";
  private static final int ROW_FIELDS = 6;
  private static final int RANDOM_TABLES = 4;

  /** The one copy, read when it is first needed. */
  static final Rfc6330Tables INSTANCE = read();

  private final List<SystematicIndex> rows = new ArrayList<>();
  private final int[][] random = new int[RANDOM_TABLES][];

  private Rfc6330Tables() {}

  /** All rows of table 2, in the order of K'. */
  List<SystematicIndex> rows() {
    return rows;
  }

  /** The 256 numbers of a table V0 to V3, 32 bits each, unsigned. */
  int[] random(int table) {
    return random[table];
  }

  private static Rfc6330Tables read() {
    Rfc6330Tables tables = new Rfc6330Tables();
    InputStream found =
        Objects.requireNonNull(Rfc6330Tables.class.getResourceAsStream(RESOURCE), RESOURCE);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(found, StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          tables.add(line.split(" ", -1));
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return tables;
  }

  private void add(String[] fields) {
    if (fields[0].equals("K") && fields.length == ROW_FIELDS) {
      rows.add(
          new SystematicIndex(
              Integer.parseInt(fields[1]),
              Integer.parseInt(fields[2]),
              Integer.parseInt(fields[3]),
              Integer.parseInt(fields[4]),
              Integer.parseInt(fields[5])));
      return;
    }
    int[] numbers = new int[fields.length - 1];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Integer.parseUnsignedInt(fields[i + 1]);
    }
    random[Integer.parseInt(fields[0].substring(1))] = numbers;
  }
}
