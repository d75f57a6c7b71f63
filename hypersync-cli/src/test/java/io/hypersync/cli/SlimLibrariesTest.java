package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of a jar goes into a package. */
final class SlimLibrariesTest {
  @TempDir Path directory;

  @Test
  void machineCodeOfOtherSystemsIsLeftOutAndTheRestIsTheSame() throws IOException {
    Path from = Files.createDirectory(directory.resolve("from"));
    Path to = Files.createDirectory(directory.resolve("to"));
    try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(from.resolve("a.jar")))) {
      for (String name :
          List.of(
              "META-INF/MANIFEST.MF",
              "a/Main.class",
              "librocksdbjni-linux64.so",
              "librocksdbjni-linux64-musl.so",
              "librocksdbjni-win64.dll",
              "com/sun/jna/linux-x86-64/libjnidispatch.so",
              "com/sun/jna/darwin/libjnidispatch.jnilib",
              "jni/x86_64-Linux/libjffi-1.2.so",
              "jni/x86_64-SunOS/libjffi-1.2.so",
              "META-INF/native/libnetty_quiche_linux_x86_64.so")) {
        jar.putNextEntry(new ZipEntry(name));
        jar.write(name.getBytes(StandardCharsets.UTF_8));
      }
    }
    SlimLibraries.main(new String[] {from.toString(), to.toString(), "1700000000"});
    try (ZipFile slim = new ZipFile(to.resolve("a.jar").toFile())) {
      assertEquals(
          List.of(
              "META-INF/MANIFEST.MF",
              "a/Main.class",
              "librocksdbjni-linux64.so",
              "com/sun/jna/linux-x86-64/libjnidispatch.so",
              "jni/x86_64-Linux/libjffi-1.2.so",
              "META-INF/native/libnetty_quiche_linux_x86_64.so"),
          slim.stream().map(ZipEntry::getName).toList());
      assertEquals(
          "a/Main.class",
          new String(
              slim.getInputStream(slim.getEntry("a/Main.class")).readAllBytes(),
              StandardCharsets.UTF_8));
    }
    byte[] first = Files.readAllBytes(to.resolve("a.jar"));
    SlimLibraries.main(new String[] {from.toString(), to.toString(), "1700000000"});
    assertArrayEquals(first, Files.readAllBytes(to.resolve("a.jar")), "the same again");
  }
}
