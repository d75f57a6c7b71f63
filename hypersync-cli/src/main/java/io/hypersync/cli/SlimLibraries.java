package io.hypersync.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies jars for a package, without the machine code of other systems, which is nine tenths of
 * them; run when a package is made. The same jars give the same copies: their entries have the time
 * that was given.
 */
final class SlimLibraries {
  /** Machine code, by its name; what is for Linux on x86-64 stays. */
  private static final Pattern MACHINE_CODE = Pattern.compile(".*\\.(so|dll|jnilib|a|dylib)");

  private static final Pattern OURS =
      Pattern.compile(
          "librocksdbjni-linux64\\.so|com/sun/jna/linux-x86-64/.*|jni/x86_64-Linux/.*"
              + "|META-INF/native/.*_x86_64\\.so");

  private SlimLibraries() {}

  /**
   * Copies them.
   *
   * @param args the folder, that of the copies, which is there, and the time of their entries in
   *     seconds since 1970
   */
  public static void main(String[] args) throws IOException {
    LocalDateTime time = LocalDateTime.ofEpochSecond(Long.parseLong(args[2]), 0, ZoneOffset.UTC);
    try (Stream<Path> jars = Files.list(Path.of(args[0]))) {
      for (Path jar : jars.sorted().toList()) {
        copy(jar, Path.of(args[1]).resolve(jar.getFileName()), time);
      }
    }
  }

  static void copy(Path from, Path to, LocalDateTime time) throws IOException {
    try (ZipFile jar = new ZipFile(from.toFile());
        OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
        ZipOutputStream copy = new ZipOutputStream(file)) {
      copy.setLevel(Deflater.NO_COMPRESSION); // the package is compressed as a whole, and better
      for (ZipEntry entry : Collections.list(jar.entries())) {
        if (isKept(entry.getName())) {
          ZipEntry written = new ZipEntry(entry.getName());
          written.setTimeLocal(time);
          copy.putNextEntry(written);
          try (InputStream content = jar.getInputStream(entry)) {
            content.transferTo(copy);
          }
          copy.closeEntry();
        }
      }
    }
  }

  static boolean isKept(String name) {
    return !MACHINE_CODE.matcher(name).matches() || OURS.matcher(name).matches();
  }
}
