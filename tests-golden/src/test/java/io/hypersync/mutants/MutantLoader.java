package io.hypersync.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads leader, worker and simulator anew, with one class changed. The modules below them,
 * libraries and loggers are shared with the tests, so that their compiled code is reused; they have
 * no references to the reloaded classes, nor to the part of the model that is loaded anew, too. A
 * mutant of the chunk store has that loaded anew, too, which is possible because none of the
 * modules that stay shared refers to it. A mutant of the model has everything loaded anew.
 */
final class MutantLoader extends ClassLoader {
  private static final String PRODUCT = "io.hypersync.";

  /** What all other shared modules refer to. */
  private static final String MODEL = "io.hypersync.model.";

  private static final List<String> SHARED =
      List.of(MODEL, "io.hypersync.chunkstore.", "io.hypersync.wire.");

  /** Parts of a shared module that no shared module refers to. */
  private static final List<String> APART =
      List.of(
          "io.hypersync.model.restore.", "io.hypersync.model.undo.", "io.hypersync.wire.local.");

  private static final ClassDesc WRONG = ClassDesc.of(MutantReplacements.class.getName());

  private final Mutant mutant;
  private int changes;

  MutantLoader(Mutant mutant) {
    super(MutantLoader.class.getClassLoader());
    this.mutant = mutant;
  }

  /** Number of changed places so far; a mutant without any proves nothing. */
  int changes() {
    return changes;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PRODUCT) || isShared(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  /** Whether the class comes from the test's class loader; not if the change is in its module. */
  private boolean isShared(String name) {
    return !isApart(name)
        && SHARED.stream().anyMatch(part -> name.startsWith(part) && !isMutatedPart(part));
  }

  private static boolean isApart(String name) {
    return APART.stream().anyMatch(name::startsWith);
  }

  private boolean isMutatedPart(String part) {
    String changed = mutant.className();
    return !isApart(changed) && (changed.startsWith(part) || changed.startsWith(MODEL));
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in =
        MutantLoader.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      byte[] defined = name.equals(mutant.className()) ? changed(bytes) : bytes;
      return defineClass(name, defined, 0, defined.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] changed(byte[] bytes) {
    ClassFile classFile = ClassFile.of();
    MethodTransform methods =
        mutant.change() instanceof Change.Answers(Object constant)
            ? answers(constant)
            : MethodTransform.transformingCode(calls());
    return classFile.transformClass(
        classFile.parse(bytes), ClassTransform.transformingMethods(this::isMeant, methods));
  }

  private boolean isMeant(MethodModel method) {
    String name = method.methodName().stringValue();
    return name.equals(mutant.method()) || name.startsWith("lambda$" + mutant.method() + "$");
  }

  private MethodTransform answers(@Nullable Object constant) {
    return (builder, element) -> {
      if (element instanceof CodeModel code) {
        changes++;
        MethodTypeDesc type = code.parent().orElseThrow().methodTypeSymbol();
        builder.withCode(
            body -> {
              push(body, type.returnType(), constant);
              body.return_(TypeKind.from(type.returnType()));
            });
      } else {
        builder.with(element);
      }
    };
  }

  private CodeTransform calls() {
    return (builder, element) -> {
      if (element instanceof InvokeInstruction call && isMeant(call)) {
        changes++;
        change(builder, call);
      } else {
        builder.with(element);
      }
    };
  }

  private boolean isMeant(InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String simple = owner.substring(Math.max(owner.lastIndexOf('/'), owner.lastIndexOf('$')) + 1);
    String name = simple + "." + call.name().stringValue();
    return switch (mutant.change()) {
      case Change.Answers _ -> false;
      case Change.CallAnswers(String wanted, _) -> wanted.equals(name);
      case Change.CallSkipped(String wanted) -> wanted.equals(name);
      case Change.LastArgument(String wanted, _) -> wanted.equals(name);
      case Change.CallReplaced(String wanted, _) -> wanted.equals(name);
    };
  }

  private void change(CodeBuilder builder, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    switch (mutant.change()) {
      case Change.Answers _ -> throw new AssertionError("changes no call");
      case Change.CallAnswers(_, Object constant) -> {
        popArguments(builder, call);
        push(builder, type.returnType(), constant);
      }
      case Change.CallSkipped _ -> {
        popArguments(builder, call);
        push(builder, type.returnType(), null);
      }
      case Change.LastArgument(_, long constant) -> {
        builder.pop2();
        builder.loadConstant(constant);
        builder.with((CodeElement) call);
      }
      case Change.CallReplaced(_, String by) -> {
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        MethodTypeDesc replaced =
            isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol());
        builder.invokestatic(WRONG, by, replaced);
      }
    }
  }

  private static void popArguments(CodeBuilder builder, InvokeInstruction call) {
    for (ClassDesc argument : call.typeSymbol().parameterList().reversed()) {
      if (TypeKind.from(argument).slotSize() == 2) {
        builder.pop2();
      } else {
        builder.pop();
      }
    }
    if (call.opcode() != Opcode.INVOKESTATIC) {
      builder.pop();
    }
  }

  private static void push(CodeBuilder builder, ClassDesc type, @Nullable Object constant) {
    switch (TypeKind.from(type)) {
      case VOID -> {
        // Nothing to push.
      }
      case LONG -> builder.loadConstant(constant == null ? 0L : (Long) constant);
      case REFERENCE -> builder.aconst_null();
      case BOOLEAN, BYTE, SHORT, CHAR, INT ->
          builder.loadConstant(constant == null ? 0 : (Integer) constant);
      case FLOAT, DOUBLE -> throw new IllegalArgumentException("not needed yet: " + type);
    }
  }
}
