@NullMarked
package io.hypersync.cli.render;

import org.jspecify.annotations.NullMarked;
