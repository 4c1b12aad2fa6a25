import { enableCompileCache } from 'node:module';

// A worker gets the variable only after its start, so the path is passed here.
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
