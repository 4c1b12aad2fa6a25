import { enableCompileCache } from 'node:module';

// A worker has the variable only once it runs, so it is passed here.
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
