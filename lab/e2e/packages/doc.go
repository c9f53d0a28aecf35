// Package packages tests the ways to install uelink: the Debian package, by its scripts and by its life in a Debian
// root, the container image, and the files for Kubernetes and Ansible.
package packages
