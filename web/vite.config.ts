import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Everything is reached by relative addresses, so that the page works from any folder.
export default defineConfig({
  base: './',
  plugins: [svelte()],
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  // The lessons lie beside the page's folder.
  server: { fs: { allow: ['..'] } },
  test: { include: ['tests/unit/**/*.test.ts'] },
});
