/** What a mount is used for, and where its time goes: for people who ask (hypersync.md 17). */
@NullMarked
package io.hypersync.worker.profile;

import org.jspecify.annotations.NullMarked;
