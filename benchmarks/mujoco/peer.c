// MuJoCo's side of ./bench mujoco: peer-mujoco MODEL.xml CONTROLS.bin STATE.bin [file|elliptic], then commands, a line each:
//   size                nq nv nu and the step
//   time step SECONDS   ns a step: the minimum over episodes, each from the state under the controls of the file
//   values state STEPS  qpos and qvel after so many steps
//   values depth STEPS  how far geoms reached into each other at most, m
//   quit
// CONTROLS.bin: doubles, a row of nu for each step of an episode. STATE.bin: qpos, at rest. Contact is disabled, unless it is to be as the
// file has it, or with elliptic cones; all else is as the file has it.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static mjModel* m;
static mjData* d;
static double *controls, *begin;
static long episode;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void reset(void) {
  mj_resetData(m, d);
  memcpy(d->qpos, begin, m->nq * sizeof(double));
}

static void run(long steps) {
  for (long k = 0; k < steps; k++) {
    memcpy(d->ctrl, controls + (k % episode) * m->nu, m->nu * sizeof(double));
    mj_step(m, d);
  }
}

static int unstable(void) {
  int count = 0;
  for (int k = 0; k < mjNWARNING; k++) count += d->warning[k].number;
  return count;
}

static void measure(double seconds) {
  double best = 1e300, first = now();
  int rounds = 0, warnings = 0;
  while (rounds < 3 || now() - first < seconds) {
    reset();
    double start = now();
    run(episode);
    double spent = now() - start;
    if (spent < best) best = spent;
    warnings += unstable();
    rounds++;
  }
  if (warnings) fprintf(stderr, "mujoco: %d warnings in %d episodes\n", warnings, rounds);
  printf("%.17g\n", best / episode * 1e9);
}

static void state(long steps) {
  reset();
  run(steps);
  for (int k = 0; k < m->nq; k++) printf("%.17g ", d->qpos[k]);
  for (int k = 0; k < m->nv; k++) printf("%.17g ", d->qvel[k]);
  printf("\n");
}

static void depth(long steps) {
  double deepest = 0;
  reset();
  for (long k = 0; k < steps; k++) {
    memcpy(d->ctrl, controls + (k % episode) * m->nu, m->nu * sizeof(double));
    mj_step(m, d);
    for (int c = 0; c < d->ncon; c++) if (-d->contact[c].dist > deepest) deepest = -d->contact[c].dist;
  }
  printf("%.17g\n", deepest);
}

static double* read_numbers(const char* path, long* count) {
  FILE* file = fopen(path, "rb");
  if (!file) { perror(path); exit(1); }
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  rewind(file);
  double* numbers = malloc(bytes + sizeof(double));
  if (!numbers || fread(numbers, 1, bytes, file) != (size_t)bytes) { perror(path); exit(1); }
  fclose(file);
  *count = bytes / (long)sizeof(double);
  return numbers;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) { fprintf(stderr, "usage: peer-mujoco MODEL.xml CONTROLS.bin STATE.bin [file|elliptic]\n"); return 2; }
  char error[1000] = "";
  m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) { fprintf(stderr, "%s\n", error); return 1; }
  if (argc == 4) m->opt.disableflags |= mjDSBL_CONTACT;
  if (argc == 5 && !strcmp(argv[4], "elliptic")) m->opt.cone = mjCONE_ELLIPTIC;
  d = mj_makeData(m);
  long count, size;
  controls = read_numbers(argv[2], &count);
  episode = m->nu ? count / m->nu : 1000;
  begin = read_numbers(argv[3], &size);
  if (size != m->nq || (m->nu && episode * m->nu != count)) { fprintf(stderr, "the files do not fit the model\n"); return 1; }
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    double seconds;
    long steps;
    if (!strncmp(line, "quit", 4)) break;
    if (!strncmp(line, "size", 4)) printf("%d %d %d %.17g\n", (int)m->nq, (int)m->nv, (int)m->nu, m->opt.timestep);
    else if (sscanf(line, "time step %lf", &seconds) == 1) measure(seconds);
    else if (sscanf(line, "values state %ld", &steps) == 1) state(steps);
    else if (sscanf(line, "values depth %ld", &steps) == 1) depth(steps);
    else printf("error: not a command\n");
    fflush(stdout);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
